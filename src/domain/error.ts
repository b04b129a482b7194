/** The one error type of Lamina, and the closed table of reasons that it can carry. */

interface ErrorRule {
  /** HTTP status of the response. */
  readonly status: number;
  /** Whether the same call may succeed if repeated later. */
  readonly retryable: boolean;
  /** What a caller should do about it. */
  readonly advice: string;
}

export const ERROR_TABLE = {
  INVALID_LAYER: {
    status: 400,
    retryable: false,
    advice: 'Name one of the layers that are accepted; details name them.',
  },
  MISSING_IDENTIFIER: { status: 400, retryable: false, advice: 'Add the identifier that the layer requires.' },
  VALIDATION_FAILED: { status: 400, retryable: false, advice: 'Fix the input; the problems in details say where.' },
  UNAUTHORIZED: { status: 401, retryable: false, advice: 'Check the credentials.' },
  FORBIDDEN: { status: 403, retryable: false, advice: 'Act as a principal that may do this.' },
  LESS_TRUSTED: {
    status: 403,
    retryable: false,
    advice: 'Add it as a memory of its own, or have a person write the change.',
  },
  MEMORY_NOT_FOUND: { status: 404, retryable: false, advice: 'Check the id; the memory may be deleted.' },
  NOT_FOUND: { status: 404, retryable: false, advice: 'Check the path or the id.' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, advice: 'Use a method that the path has; details name them.' },
  VERSION_CONFLICT: {
    status: 409,
    retryable: false,
    advice: 'Read it again, then repeat the change on what you read.',
  },
  CONTENT_TOO_LONG: { status: 413, retryable: false, advice: 'Shorten or split the content.' },
  QUERY_TOO_LONG: { status: 413, retryable: false, advice: 'Shorten the query.' },
  LIMIT_EXCEEDED: { status: 413, retryable: false, advice: 'Send less at once; details name the limit.' },
  RATE_LIMITED: { status: 429, retryable: true, advice: 'Wait, then try again.' },
  CONFIGURATION_ERROR: { status: 500, retryable: false, advice: 'Fix the configuration and start again.' },
  EMBEDDING_FAILED: { status: 502, retryable: true, advice: 'Try again; if it stays, check the embedding provider.' },
  PROVIDER_ERROR: { status: 502, retryable: true, advice: 'Try again; if it stays, check the log of the service.' },
  UNAVAILABLE: { status: 503, retryable: true, advice: 'Try again shortly.' },
} as const satisfies Record<string, ErrorRule>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** An error as it travels: over HTTP in snake_case, in a library as the fields of {@link LaminaError}. */
export interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
  readonly operation: string;
  readonly details?: Record<string, unknown>;
  readonly retryable: boolean;
  readonly requestId?: string;
}

interface ErrorOptions {
  readonly operation?: string;
  readonly details?: Record<string, unknown>;
  /** Advice for this error, where that of the table does not fit. */
  readonly advice?: string;
  /** Identifies the request in the log of the service. */
  readonly requestId?: string;
  readonly cause?: unknown;
}

/**
 * Everything that Lamina throws. `code` is stable and listed in {@link ERROR_TABLE}; `message` is for
 * people; `details` never holds SQL, paths or anything of another tenant, and for `VALIDATION_FAILED` always the
 * `problems`: a list of `{path, message}`, where an empty path stands for the whole input. `cause` stays in the process.
 */
export class LaminaError extends Error {
  override readonly name = 'LaminaError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  /** What to do about it. */
  readonly advice: string;
  /** Identifies the request in the log of the service; undefined if no service was involved. */
  readonly requestId: string | undefined;
  /** The operation that failed; set where operations are invoked. */
  operation: string;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = code === 'VALIDATION_FAILED' ? withProblems(message, options.details) : options.details;
    this.advice = options.advice ?? ERROR_TABLE[code].advice;
    this.requestId = options.requestId;
    this.operation = options.operation ?? '';
  }

  get status(): number {
    return ERROR_TABLE[this.code].status;
  }

  /** A retryable code may still be known to be permanent, such as a refused key: then `details.permanent`. */
  get retryable(): boolean {
    return ERROR_TABLE[this.code].retryable && this.details?.['permanent'] !== true;
  }

  /** The error as plain data, without its cause or stack. */
  toJSON(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      operation: this.operation,
      ...(this.details && { details: this.details }),
      retryable: this.retryable,
      ...(this.requestId !== undefined && { requestId: this.requestId }),
    };
  }
}

/** A program reads `problems`: what is no single field's fault is one too, of the whole input. */
function withProblems(message: string, details: Record<string, unknown> = {}): Record<string, unknown> {
  if (details['problems'] !== undefined) return details;
  return { ...details, problems: [{ path: '', message: message.replace(/\.$/, '') }] };
}

/** Input that passes the schema but is inconsistent; `path` names the field. */
export function invalidField(path: string, message: string, more: Record<string, unknown> = {}): LaminaError {
  return new LaminaError('VALIDATION_FAILED', `The input does not fit: ${path}: ${message}.`, {
    details: { problems: [{ path, message }], ...more },
  });
}

/** Something is not as the caller last saw it. Versions of 0 stand for nothing. */
export function versionConflict(message: string, currentVersion: number, expectedVersion: number): LaminaError {
  return new LaminaError('VERSION_CONFLICT', message, { details: { currentVersion, expectedVersion } });
}

/** The caller's id is taken, possibly by something the caller cannot see. Reveals nothing about it. */
export function idTaken(id: string): LaminaError {
  return new LaminaError(
    'VERSION_CONFLICT',
    'This id is taken. Leave the id out for a new memory, or update the old one.',
    { details: { id } },
  );
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_TABLE, value);
}

/** Whether the provider could not be reached at all, rather than refused the request; includes refusals by a gateway. */
export function isOutage({ code, details }: LaminaError): boolean {
  return ERROR_TABLE[code].retryable || details?.['foreign'] === true;
}

/** Any thrown value as a LaminaError: anything else becomes `PROVIDER_ERROR` with a neutral message. */
export function asLaminaError(thrown: unknown, operation?: string): LaminaError {
  const error =
    thrown instanceof LaminaError
      ? thrown
      : new LaminaError('PROVIDER_ERROR', 'The storage or a provider behind it failed.', { cause: thrown });
  if (operation !== undefined && error.operation === '') error.operation = operation;
  return error;
}
