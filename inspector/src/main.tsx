/** The inspector: what agents remember, and why. */

import './no-eval.ts';
import './styles/main.css';
import { render } from 'preact';
import { followMe } from './api/me.ts';
import { App } from './app/app.tsx';
import { followKeyboard } from './app/keyboard.ts';
import { followLocation } from './app/location.ts';
import { applyTheme } from './app/theme.ts';

const root = document.querySelector('#app');
if (root !== null) {
  applyTheme();
  followLocation();
  followKeyboard();
  followMe();
  render(<App />, root);
}
