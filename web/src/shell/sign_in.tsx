// Asks for the token when the worker answers 401.

import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api/client.ts';
import { signIn } from '../live/session.ts';
import { Logo } from '../parts/icon.tsx';

export function SignIn() {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in · Penstock';
    input.current?.focus();
  }, []);

  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      await signIn(token.trim());
    } catch (problem) {
      setError(
        problem instanceof ApiError && problem.status === 401
          ? 'The worker does not accept this token.'
          : messageOf(problem),
      );
      setBusy(false);
      input.current?.focus();
    }
  };

  return (
    <main class="sign-in" id="main">
      <form class="panel" onSubmit={submit}>
        <h1><Logo /> Penstock</h1>
        <p>This worker requires a token. It is kept until you close the tab.</p>
        <label class="field">
          <span>Token</span>
          <input
            ref={input}
            type="password"
            name="token"
            autocomplete="current-password"
            spellcheck={false}
            required
            value={token}
            aria-invalid={error !== ''}
            aria-describedby="sign-in-error"
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <p id="sign-in-error" class="error-text" role="alert">{error}</p>
        <button type="submit" class="primary" disabled={busy || token.trim() === ''}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
