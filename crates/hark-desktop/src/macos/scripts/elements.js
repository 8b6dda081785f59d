// What stands in windows, by the interface that screen readers use. Arguments: "windows"; or "elements", "menus", "press" or
// "fill", process, place among its windows and title; for the last two the way to an element, its name, and for "fill" a text.
ObjC.import('AppKit');
ObjC.import('ApplicationServices');
ObjC.bindFunction('AXUIElementCreateApplication', ['id', ['int']]);
ObjC.bindFunction('AXUIElementCopyAttributeValue', ['int', ['id', 'id', 'id*']]);
ObjC.bindFunction('AXUIElementSetAttributeValue', ['int', ['id', 'id', 'id']]);
ObjC.bindFunction('AXUIElementPerformAction', ['int', ['id', 'id']]);

const MOST = 2000;
const DEEPEST = 40;
const FIELDS = ['AXTextField', 'AXTextArea', 'AXComboBox', 'AXSearchField'];
// A program with an interface of its own (NSApplicationActivationPolicyRegular).
const REGULAR = 0;

function attribute(element, name) {
  const value = Ref();
  return $.AXUIElementCopyAttributeValue(element, $(name), value) === 0 ? value[0] : null;
}

function word(element, name) {
  const value = attribute(element, name);
  const text = value === null ? '' : ObjC.unwrap(value);
  return typeof text === 'string' ? text : '';
}

function list(element, name) {
  const value = attribute(element, name);
  const found = [];
  if (value === null) return found;
  for (let at = 0; at < value.count; at += 1) found.push(value.objectAtIndex(at));
  return found;
}

// What is written on an element: its title, what a screen reader says, or the title of the label beside it.
function named(element, role) {
  const own = word(element, 'AXTitle') || word(element, 'AXDescription');
  if (own) return own;
  if (role === 'AXStaticText') return word(element, 'AXValue');
  const label = attribute(element, 'AXTitleUIElement');
  const beside = label === null ? '' : word(label, 'AXTitle') || word(label, 'AXValue');
  return beside || word(element, 'AXPlaceholderValue');
}

function shown(element, way) {
  const role = word(element, 'AXRole');
  const isSecret = word(element, 'AXSubrole') === 'AXSecureTextField';
  const isField = FIELDS.includes(role);
  const enabled = attribute(element, 'AXEnabled');
  return {
    way: way.join('/'),
    depth: way.length,
    role: role,
    name: named(element, role),
    kind: word(element, 'AXRoleDescription'),
    value: isField && !isSecret ? word(element, 'AXValue') : '',
    secret: isSecret,
    field: isField,
    enabled: enabled === null || Boolean(ObjC.unwrap(enabled)),
  };
}

function gather(element, way, found) {
  if (found.length >= MOST) return;
  found.push(shown(element, way));
  if (way.length >= DEEPEST) return;
  list(element, 'AXChildren').forEach((child, at) => gather(child, way.concat(at), found));
}

function programs() {
  const all = ObjC.unwrap($.NSWorkspace.sharedWorkspace.runningApplications);
  return all.filter((one) => one.activationPolicy === REGULAR);
}

function windows() {
  const front = $.NSWorkspace.sharedWorkspace.frontmostApplication.processIdentifier;
  return programs().flatMap((one) => {
    const pid = one.processIdentifier;
    return list($.AXUIElementCreateApplication(pid), 'AXWindows').map((window, index) => ({
      pid: pid,
      index: index,
      program: ObjC.unwrap(one.localizedName) || '',
      title: word(window, 'AXTitle'),
      active: pid === front && index === 0,
    }));
  });
}

// The window at a place, if it is still called so; else the first one that is.
function windowOf(program, index, title) {
  const all = list(program, 'AXWindows');
  const isIt = (window) => word(window, 'AXTitle') === title;
  const at = all[Number(index)];
  return at && isIt(at) ? at : all.find(isIt);
}

function found(root, way) {
  return way.split('/').filter((step) => step).reduce(
    (element, step) => element && list(element, 'AXChildren')[Number(step)],
    root,
  );
}

function done(verb, element, text) {
  if (verb === 'press') return $.AXUIElementPerformAction(element, $('AXPress')) === 0;
  const isSet = $.AXUIElementSetAttributeValue(element, $('AXValue'), $(text)) === 0;
  return isSet && word(element, 'AXValue') === text;
}

function run(argv) {
  const [verb, pid, index, title, root, way, name, text] = argv;
  if (!$.AXIsProcessTrusted()) return JSON.stringify({ trusted: false });
  if (verb === 'windows') return JSON.stringify({ trusted: true, windows: windows() });
  const program = $.AXUIElementCreateApplication(Number(pid));
  const isMenu = verb === 'menus' || root === 'menus';
  const top = isMenu ? attribute(program, 'AXMenuBar') : windowOf(program, index, title);
  if (!top) return JSON.stringify({ trusted: true, gone: true });
  if (verb === 'elements' || verb === 'menus') {
    const elements = [];
    gather(top, [], elements);
    return JSON.stringify({ trusted: true, elements: elements });
  }
  const element = found(top, way);
  // Windows change while a person is asked; what is called otherwise is not pressed.
  if (!element || named(element, word(element, 'AXRole')) !== name) {
    return JSON.stringify({ trusted: true, gone: true });
  }
  return JSON.stringify({ trusted: true, done: done(verb, element, text) });
}
