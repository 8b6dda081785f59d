import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { App } from './app';
import { applyPreferences } from './preferences';
import { stayConnected } from './socket';

applyPreferences();
const place = document.getElementById('page');
if (place) {
  // What the document shows until this runs.
  place.replaceChildren();
  render(<App />, place);
}
stayConnected();
