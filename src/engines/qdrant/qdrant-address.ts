/** The address of Qdrant. Separate from the client, whose types exist only if it is installed. */

export interface QdrantAddress {
  /** `http://HOST:PORT` or `https://HOST:PORT`; a path before that of Qdrant's own may follow. */
  readonly url: string;
  readonly apiKey?: string | undefined;
}
