// Keys and the pointer. Arguments: "type" and a text; "code" or "stroke", a key and what is held; "click", a button and how
// often; "scroll", lines down and to the right; the last two with x and y where a place is meant.
ObjC.import('AppKit');
ObjC.import('ApplicationServices');
ObjC.import('CoreGraphics');
ObjC.bindFunction('CGEventKeyboardSetUnicodeString', ['void', ['void *', 'unsigned long', 'void *']]);
ObjC.bindFunction('CGEventCreateScrollWheelEvent2', ['void *', ['void *', 'int', 'int', 'int', 'int', 'int']]);

// Numbers of CGEventType and CGMouseButton: down, up, button.
const BUTTONS = { left: [1, 2, 0], right: [3, 4, 1], middle: [25, 26, 2] };
const MOVED = 5;
const HID_TAP = 0;
const CLICK_STATE = 1;
const UNIT_LINE = 1;
const KEYS = { '\n': 36, '\t': 48 };
// Longest text of one event, UTF-16 units; programs cut longer ones.
const MOST_UNITS = 16;

function post(event) {
  $.CGEventPost(HID_TAP, event);
  delay(0.01);
}

function key(code, text) {
  for (const isDown of [true, false]) {
    const event = $.CGEventCreateKeyboardEvent($(), code, isDown);
    if (text) {
      const units = $(text).dataUsingEncoding($.NSUTF16LittleEndianStringEncoding);
      $.CGEventKeyboardSetUnicodeString(event, text.length, units.bytes);
    }
    post(event);
  }
}

// Characters go with the event, so that no layout of the keyboard counts.
function type(text) {
  let waiting = '';
  const flush = () => {
    if (waiting) key(0, waiting);
    waiting = '';
  };
  for (const character of text) {
    if (KEYS[character] !== undefined) {
      flush();
      key(KEYS[character], '');
      continue;
    }
    if (waiting.length + character.length > MOST_UNITS) flush();
    waiting += character;
  }
  flush();
}

function place(x, y) {
  if (x === undefined) return $.CGEventGetLocation($.CGEventCreate($()));
  const point = $.CGPointMake(Number(x), Number(y));
  post($.CGEventCreateMouseEvent($(), MOVED, point, 0));
  return point;
}

function click(button, times, x, y) {
  const [down, up, number] = BUTTONS[button];
  const point = place(x, y);
  for (let nth = 1; nth <= times; nth += 1) {
    for (const kind of [down, up]) {
      const event = $.CGEventCreateMouseEvent($(), kind, point, number);
      $.CGEventSetIntegerValueField(event, CLICK_STATE, nth);
      post(event);
    }
  }
}

function run(argv) {
  const [verb, first, second, x, y] = argv;
  // Without this right macOS drops what is posted, and says nothing.
  if (!$.AXIsProcessTrusted()) return JSON.stringify({ trusted: false });
  const using = (held) => ({ using: held.split(',').filter((name) => name).map((name) => name + ' down') });
  if (verb === 'type') type(first);
  if (verb === 'code') Application('System Events').keyCode(Number(first), using(second));
  if (verb === 'stroke') Application('System Events').keystroke(first, using(second));
  if (verb === 'click') click(first, Number(second), x, y);
  if (verb === 'scroll') {
    if (x !== undefined) place(x, y);
    // Numbers above zero turn to what is above and on the left.
    post($.CGEventCreateScrollWheelEvent2($(), UNIT_LINE, 2, -Number(first), -Number(second), 0));
  }
  return JSON.stringify({ trusted: true });
}
