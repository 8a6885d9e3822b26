// Requests to the worker that served this page. Paths are relative, so that the page also works behind a proxy that
// serves it below a prefix. The token is sent with each request, and kept by the caller.

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface RequestOptions {
  query?: Query;
  body?: unknown;
  // Sent as it is, instead of `body`.
  text?: string;
  type?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  parse?: (text: string) => unknown;
}

export interface Session {
  token(): string | null;
  // Called when the worker answers 401.
  refused(): void;
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly member: string | undefined,
    readonly body: unknown,
  ) {
    super(detail);
    this.name = 'ApiError';
  }

  // True if this worker does not have the endpoint, in contrast to a queue or a job that does not exist.
  get noSuchEndpoint(): boolean {
    return (this.status === 404 && this.member === undefined) || this.status === 405;
  }
}

export function pathOf(...parts: string[]): string {
  return ['v1', ...parts.map(encodeURIComponent)].join('/');
}

export function queryText(query: Query | undefined): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '') pairs.set(name, String(value));
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}

export class Client {
  constructor(
    private readonly session: Session,
    private readonly send: typeof fetch = (...args) => fetch(...args),
  ) {}

  async raw(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
    const token = this.session.token();
    if (token !== null) headers.authorization = `Bearer ${token}`;
    let body: string | undefined;
    if (options.text !== undefined) {
      body = options.text;
      headers['content-type'] = options.type ?? 'application/json';
    } else if (options.body !== undefined) {
      body = JSON.stringify(options.body);
      headers['content-type'] = 'application/json';
    }
    let response: Response;
    try {
      response = await this.send(path + queryText(options.query), {
        method,
        headers,
        body,
        signal: options.signal,
        cache: 'no-store',
        credentials: 'same-origin',
      });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new ApiError(0, 'The worker does not answer.', undefined, null);
    }
    if (response.status === 401) this.session.refused();
    return response;
  }

  async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.raw(method, path, options);
    const text = await response.text();
    if (!response.ok) throw problem(response, text);
    if (text === '') return undefined as T;
    return (options.parse ?? JSON.parse)(text) as T;
  }

  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
    return this.request<T>('GET', path, { query, signal });
  }

  post<T>(path: string, query?: Query, body?: unknown, signal?: AbortSignal): Promise<T> {
    return this.request<T>('POST', path, { query, body, signal });
  }
}

function problem(response: Response, text: string): ApiError {
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy's error page is not JSON; its status has to do.
  }
  const fields = (body ?? {}) as { detail?: unknown; title?: unknown; member?: unknown };
  const detail =
    typeof fields.detail === 'string'
      ? fields.detail
      : typeof fields.title === 'string'
        ? fields.title
        : `The worker answered ${response.status}.`;
  const member = typeof fields.member === 'string' ? fields.member : undefined;
  return new ApiError(response.status, detail, member, body);
}

// What to tell a person about an error.
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) {
    if (error.status === 401) return 'Sign in to continue.';
    if (error.status === 403) return `Your token does not permit this: ${error.detail}`;
    if (error.noSuchEndpoint) return 'This worker does not offer this. It may be an older version.';
    return error.detail;
  }
  return error instanceof Error ? error.message : String(error);
}
