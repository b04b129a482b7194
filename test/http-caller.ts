/** Plain HTTP calls below one address, as someone without our client makes them. */

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly etag: string | null;
  readonly text: string;
  /** The body as JSON, or undefined. */
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the service says, each test looks at its own part
  readonly json: any;
}

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** A body is sent as JSON, a string or bytes as they are. What `everyTime` names goes with each call that does not. */
export function caller(root: string, everyTime: Readonly<Record<string, string>> = {}): Call {
  return async (method, path, body, headers) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(root + path, {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...everyTime, ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
    });
    return answerOf(response);
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status, headers, etag: headers.get('ETag'), text, json };
}
