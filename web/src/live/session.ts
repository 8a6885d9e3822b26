// The token of this tab. It is kept in sessionStorage, so it ends with the tab.

import { Client } from '../api/client.ts';
import { Penstock } from '../api/penstock.ts';
import { LiveUpdates } from './live.ts';
import { Store } from './store.ts';

const kTokenKey = 'penstock-token';
const kNameKey = 'penstock-name';

export const signedOut = new Store<boolean>(false);
export const tokenGiven = new Store<boolean>(sessionStorage.getItem(kTokenKey) !== null);

const client = new Client({
  token: () => sessionStorage.getItem(kTokenKey),
  refused: () => signedOut.set(true),
});

export const api = new Penstock(client);
export const updates = new LiveUpdates(api, client);

// Throws if the worker refuses the token, which is then not kept.
export async function signIn(token: string): Promise<void> {
  const before = sessionStorage.getItem(kTokenKey);
  sessionStorage.setItem(kTokenKey, token);
  try {
    await api.queues();
  } catch (error) {
    if (before === null) sessionStorage.removeItem(kTokenKey);
    else sessionStorage.setItem(kTokenKey, before);
    throw error;
  }
  tokenGiven.set(true);
  signedOut.set(false);
  updates.start();
}

export function signOut(): void {
  sessionStorage.removeItem(kTokenKey);
  tokenGiven.set(false);
  updates.end('lost');
  signedOut.set(true);
}

// The name that others see beside a pause or a replay. A worker with tokens shows the token's name instead.
export function operatorName(): string {
  return localStorage.getItem(kNameKey) ?? '';
}

export function setOperatorName(name: string): void {
  localStorage.setItem(kNameKey, name);
}
