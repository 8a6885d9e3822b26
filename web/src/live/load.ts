// Loading what a view shows, once or again and again. An answer to an earlier question never replaces a later one.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';

export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  loading: boolean;
  // True if this worker does not have the endpoint.
  absent: boolean;
  reload: () => void;
}

// `deps` identify what is loaded: when they change, what was loaded before is kept until the new answer comes.
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
  everyMs?: number,
): Loaded<T> {
  const [state, setState] = useState<{ data: T | undefined; error: unknown; loading: boolean }>({
    data: undefined,
    error: null,
    loading: true,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    setState((old) => ({ ...old, loading: true }));
    const ask = async (): Promise<void> => {
      let again = true;
      try {
        const data = await latest.current(stop.signal);
        if (stop.signal.aborted) return;
        setState({ data, error: null, loading: false });
      } catch (error) {
        if (stop.signal.aborted) return;
        setState((old) => ({ data: old.data, error, loading: false }));
        again = !(error instanceof ApiError && (error.noSuchEndpoint || error.status === 401));
      }
      if (again && everyMs !== undefined) timer = setTimeout(tick, everyMs);
    };
    const tick = (): void => {
      if (document.hidden) timer = setTimeout(tick, everyMs);
      else void ask();
    };
    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [...deps, round]);

  const reload = useCallback(() => setRound((n) => n + 1), []);
  const absent = state.error instanceof ApiError && state.error.noSuchEndpoint;
  return { ...state, absent, reload };
}
