// Windows. Arguments: "list"; or what is done, process, place among its windows, title, and for "put" x, y, width and height.
ObjC.import('AppKit');
ObjC.import('ApplicationServices');

const events = Application('System Events');
// What counts for every window is no matter of a single one.
const RIGHTS = [-1743, -1744, -25211];

// An attribute of a window; null where it has none.
function attribute(window, name) {
  try {
    return window.attributes.byName(name).value();
  } catch (error) {
    return null;
  }
}

function set(window, name, value) {
  window.attributes.byName(name).value = value;
}

function windowsOf(process) {
  const about = {
    pid: process.unixId(),
    program: process.name(),
    bundle: process.bundleIdentifier() || '',
  };
  const isFront = process.frontmost();
  return process.windows().map((window, index) => {
    const [x, y] = window.position();
    const [width, height] = window.size();
    return Object.assign({}, about, {
      index: index,
      title: window.name() || '',
      x: x, y: y, width: width, height: height,
      focused: isFront && attribute(window, 'AXMain') === true,
      minimised: attribute(window, 'AXMinimized') === true,
      full: attribute(window, 'AXFullScreen') === true,
    });
  });
}

function listed() {
  const found = [];
  for (const process of events.applicationProcesses.whose({ backgroundOnly: false })()) {
    try {
      const windows = windowsOf(process);
      // Those of the program in front come first.
      if (windows.some((window) => window.focused)) found.unshift(...windows);
      else found.push(...windows);
    } catch (error) {
      // A program that ends or hangs hides no other.
      if (RIGHTS.includes(error.errorNumber)) throw error;
    }
  }
  return found;
}

// AppKit counts from the lower edge of the first screen, windows from its upper one.
function screens() {
  const all = ObjC.unwrap($.NSScreen.screens);
  const height = all[0].frame.size.height;
  const place = (rect) => ({
    x: rect.origin.x,
    y: height - rect.origin.y - rect.size.height,
    width: rect.size.width,
    height: rect.size.height,
  });
  return all.map((screen) => ({ whole: place(screen.frame), free: place(screen.visibleFrame) }));
}

// The window at a place, if it is still called so; else the first one that is.
function found(pid, index, title) {
  const process = events.applicationProcesses.whose({ unixId: Number(pid) })()[0];
  if (!process) return null;
  const windows = process.windows();
  const isIt = (window) => (window.name() || '') === title;
  const at = windows[Number(index)];
  const window = at && isIt(at) ? at : windows.find(isIt);
  return window ? { process: process, window: window } : null;
}

function put(window, [x, y, width, height]) {
  if (attribute(window, 'AXFullScreen') === true) {
    set(window, 'AXFullScreen', false);
    delay(1);
  }
  // Moved twice: a window that is too large for the place it comes to does not go there at once.
  window.position = [x, y];
  window.size = [width, height];
  window.position = [x, y];
}

function run(argv) {
  const [verb, pid, index, title, ...numbers] = argv;
  if (verb === 'screens') return JSON.stringify({ trusted: true, screens: screens() });
  if (!$.AXIsProcessTrusted()) return JSON.stringify({ trusted: false });
  if (verb === 'list') return JSON.stringify({ trusted: true, windows: listed(), screens: screens() });
  const one = found(pid, index, title);
  if (!one) return JSON.stringify({ trusted: true, gone: true });
  if (verb !== 'minimise' && verb !== 'close' && attribute(one.window, 'AXMinimized') === true) {
    set(one.window, 'AXMinimized', false);
  }
  if (verb === 'minimise') set(one.window, 'AXMinimized', true);
  if (verb === 'close') one.window.buttons.whose({ subrole: 'AXCloseButton' })[0].click();
  if (verb === 'put') put(one.window, numbers.map(Number));
  if (verb === 'focus') {
    one.window.actions.byName('AXRaise').perform();
    one.process.frontmost = true;
  }
  return JSON.stringify({ trusted: true });
}
