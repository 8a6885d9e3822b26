// Where the page is, kept in the address's fragment: `#/jobs/mail/acme/order-7?state=dead`. The worker serves only `/`,
// and a fragment never reaches it, so ids and accounts do not get into the logs of a proxy.

import { Store } from '../live/store.ts';

export interface Route {
  path: string[];
  query: Record<string, string>;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = split(hash.replace(/^#/, ''), '?');
  return {
    path: path.split('/').filter((part) => part !== '').map(decode),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

export function href(path: string[], query: Record<string, string | undefined> = {}): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') pairs.set(name, value);
  }
  const text = pairs.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

export function jobHref(job: { queue: string; account: string; id: string }): string {
  return href(['jobs', job.queue, job.account, job.id]);
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const route = new Store<Route>({ path: [], query: {} });

export function followAddress(): void {
  const read = () => route.set(parseRoute(location.hash));
  addEventListener('hashchange', read);
  read();
}

export function go(to: string): void {
  location.hash = to;
}

// Changes the address without a step in the history, for filters that follow what is typed.
export function replace(to: string): void {
  history.replaceState(null, '', to);
  route.set(parseRoute(to));
}
