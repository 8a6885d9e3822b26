import { render } from 'preact';
import './style/index.css';
import { App } from './app.tsx';
import { updates } from './live/session.ts';
import { followAddress } from './shell/route.ts';
import { applyTheme, theme } from './shell/theme.ts';

applyTheme(theme.get());
followAddress();
document.addEventListener('visibilitychange', () => {
  if (document.hidden) updates.end('hidden');
  else updates.start();
});
updates.start();
const root = document.getElementById('app');
if (root) render(<App />, root);
