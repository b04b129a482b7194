/** What a resource or a prompt fails with, in the words of the protocol. */

import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { asLaminaError, type LaminaError } from '../domain/error.ts';
import type { ReportFailure } from './tool-answer.ts';

/** Runs the work. Throws errors of the protocol and nothing else, with the code of Lamina in their data. */
export async function inProtocol<T>(
  operation: string,
  work: () => Promise<T>,
  report: ReportFailure,
  uri?: string,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const error = asLaminaError(thrown, operation);
    if (error.status >= 500) report(error);
    throw uri !== undefined && error.status === 404 ? new ResourceNotFoundError(uri) : protocolError(error);
  }
}

function protocolError(error: LaminaError): ProtocolError {
  const isCallersFault = error.status < 500;
  const { code, details, retryable } = error.toJSON();
  return new ProtocolError(
    isCallersFault ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    error.message,
    { code, retryable, ...(details && { details }) },
  );
}
