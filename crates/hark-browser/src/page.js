/** What Hark does in a page, called in a world of its own that the page's scripts do not reach: `act` says what, `args` with
 * what. A page decides all that is read here; only plain texts and numbers leave it. */
function hark(act, args) {
  const MAX_LABEL = 120;
  const MAX_FIELDS = 30;
  /** A main part with fewer characters is not what the page is about. */
  const MIN_MAIN = 200;

  // A form's fields hide its properties of the same name: these are asked past it.
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name) ?? '';
  const fieldsOf = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, 'elements').get;

  const plain = (text) => String(text ?? '').normalize('NFKC').replace(/\s+/g, ' ').trim();
  const folded = (text) =>
    plain(text)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const cut = (text) => Array.from(plain(text)).slice(0, MAX_LABEL).join('');

  /** Every element, those in open shadow trees as well. */
  function* every(root) {
    for (const element of root.querySelectorAll('*')) {
      yield element;
      if (element.shadowRoot) yield* every(element.shadowRoot);
    }
  }

  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    [...element.getClientRects()].some((rect) => rect.width > 0 && rect.height > 0);
  const isOff = (element) => element.matches(':disabled') || attribute(element, 'aria-disabled') === 'true';

  /** Everything an element is called, what is seen first. */
  const namesOf = (element) => {
    const isButton = element.matches('input:is([type=submit], [type=button], [type=reset])');
    const isField = element.matches('input, textarea, select');
    const ids = attribute(element, 'aria-labelledby').split(/\s+/).filter(Boolean);
    const names = [
      isButton ? element.value || element.type : '',
      isField ? [...(element.labels ?? [])].map((label) => label.innerText).join(' ') : element.innerText,
      ids.map((id) => document.getElementById(id)?.innerText ?? '').join(' '),
      attribute(element, 'aria-label'),
      attribute(element, 'placeholder'),
      attribute(element, 'title'),
      attribute(element, 'alt'),
      element.querySelector?.('img[alt]')?.alt ?? '',
      isField ? attribute(element, 'name').replace(/[_\-[\].]+/g, ' ') : '',
    ];
    return names.map(plain).filter(Boolean);
  };

  /** How well a name fits what is looked for; smaller is better, none where it does not. */
  const rank = (name, wanted) => {
    if (name === wanted) return 0;
    if (` ${name} `.startsWith(` ${wanted} `)) return 1;
    if (` ${name} `.includes(` ${wanted} `)) return 2;
    return undefined;
  };

  /** Of the elements the one that fits best: the best rank, then the shortest name. */
  const best = (elements, text) => {
    const wanted = folded(text);
    if (!wanted) return undefined;
    let found;
    for (const element of elements) {
      for (const name of namesOf(element)) {
        const key = folded(name);
        const fits = rank(key, wanted);
        if (fits === undefined) continue;
        const is = !found || fits < found.fits || (fits === found.fits && key.length < found.length);
        if (is) found = { element, fits, length: key.length };
      }
    }
    return found?.element;
  };

  const CLICKABLE =
    'a[href], button, summary, label, [onclick], input:is([type=submit], [type=button], [type=reset], [type=image], ' +
    '[type=checkbox], [type=radio]), ' +
    ['button', 'link', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'checkbox', 'radio', 'switch', 'treeitem']
      .map((role) => `[role=${role}]`)
      .join(', ');

  const clickable = (text) => {
    const shown = [...every(document)].filter((element) => isShown(element) && !isOff(element));
    const found = best(shown.filter((element) => element.matches(CLICKABLE)), text);
    if (found) return found;
    // Whatever says exactly this, when nothing says that it can be clicked; the innermost.
    const wanted = folded(text);
    return shown.filter((element) => wanted && folded(element.innerText) === wanted).pop();
  };

  const OTHERS = ['hidden', 'submit', 'button', 'reset', 'image', 'checkbox', 'radio', 'file'];
  const isField = (element) =>
    (element.matches('input') ? !OTHERS.includes(element.type) : false) ||
    element.matches('textarea, select, [role=textbox], [role=searchbox]') ||
    element.isContentEditable;
  const isEditable = (element) => !element.matches('input, textarea, select');

  const fields = () => [...every(document)].filter((element) => isField(element) && isShown(element) && !isOff(element));

  const focused = () => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element;
  };

  const field = (text) => {
    const all = fields();
    if (text) return best(all, text);
    const here = focused();
    if (here && all.includes(here)) return here;
    return all.find((element) => element.matches('input[type=search]')) ?? all[0];
  };

  /** Passwords, codes, and what stands on a card. */
  const isSecret = (element) => {
    const uses = attribute(element, 'autocomplete').toLowerCase().split(/\s+/);
    const marks = `${attribute(element, 'name')} ${attribute(element, 'id')}`.toLowerCase();
    return (
      element.matches('input[type=password]') ||
      uses.some((use) => use.endsWith('-password') || use === 'one-time-code' || use.startsWith('cc-')) ||
      /passw|passphrase|passcode|\bcvc|\bcvv|card.?number/.test(marks)
    );
  };

  const origin = (address) => {
    try {
      const url = new URL(address, document.baseURI);
      return url.origin === 'null' ? url.protocol : url.origin;
    } catch {
      return '';
    }
  };

  /** What sending a form does. */
  const sending = (form, button) => {
    const asked = (name) => attribute(button ?? form, `form${name}`) || attribute(form, name);
    const all = [...fieldsOf.call(form)];
    return {
      kind: 'form',
      method: asked('method').trim().toLowerCase() || 'get',
      to: origin(asked('action')),
      secret: all.some((one) => one instanceof Element && isSecret(one)),
    };
  };

  /** What a click on an element does, as far as the page tells. */
  const effect = (element) => {
    const button = element.closest('button, input');
    const isSubmit = button?.form && (button.type === 'submit' || button.type === 'image');
    if (isSubmit) return sending(button.form, button);
    const link = element.closest('a[href], area[href]');
    const to = link ? origin(attribute(link, 'href')) : '';
    return /^https?:/.test(to) ? { kind: 'link', to } : { kind: 'control' };
  };

  const state = () => {
    const entry = performance.getEntriesByType('navigation')[0];
    return { url: location.href, title: cut(document.title), status: entry?.responseStatus || null };
  };

  /** What scrolls: the page, or the largest part of it that does. */
  const scrolling = () => {
    const page = document.scrollingElement ?? document.documentElement;
    if (page.scrollHeight > page.clientHeight + 1) return page;
    const area = (element) => element.clientWidth * element.clientHeight;
    const parts = [...every(document)].filter(
      (element) =>
        element.scrollHeight > element.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(element).overflowY),
    );
    return parts.sort((a, b) => area(b) - area(a))[0] ?? page;
  };

  const acts = {
    state,

    read() {
      const main = [...document.querySelectorAll('main, [role=main], article')].find(
        (element) => (element.innerText ?? '').length >= MIN_MAIN,
      );
      const whole = ((main ?? document.body)?.innerText ?? '')
        .replace(/[ \t\u00a0]+/g, ' ')
        .replace(/ ?\n ?/g, '\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim();
      const kept = Array.from(whole.slice(0, 2 * args.chars)).slice(0, args.chars).join('');
      const labels = fields().slice(0, MAX_FIELDS).map((element) => cut(namesOf(element)[0] ?? ''));
      return { ...state(), text: kept, truncated: kept.length < whole.length, fields: labels.filter(Boolean) };
    },

    target() {
      const element = clickable(args.text);
      return element ? { label: cut(namesOf(element)[0] ?? ''), effect: effect(element) } : null;
    },

    /** Brings what is to be clicked into view: where it is, and whether a click there meets it. */
    aim() {
      const element = clickable(args.text);
      if (!element) return null;
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const rect = element.getClientRects()[0] ?? element.getBoundingClientRect();
      const [x, y] = [rect.x + rect.width / 2, rect.y + rect.height / 2];
      let hit = document.elementFromPoint(x, y);
      while (hit?.shadowRoot?.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit) {
        hit = hit.shadowRoot.elementFromPoint(x, y);
      }
      const meets = Boolean(hit) && (element.contains(hit) || hit.contains(element));
      return { label: cut(namesOf(element)[0] ?? ''), effect: effect(element), x, y, meets };
    },

    press() {
      clickable(args.text)?.click();
      return null;
    },

    field() {
      const element = field(args.field);
      if (!element) return null;
      const form = element.form ?? element.closest('form');
      const label = cut(namesOf(element)[0] ?? '');
      const effect = form ? sending(form) : { kind: 'control' };
      const how = element.matches('select, input:is([type=date], [type=time], [type=month], [type=week], [type=color], [type=range], [type=datetime-local])');
      return { label, effect, secret: isSecret(element), typed: !how };
    },

    /** Puts the cursor into a field, with all that is in it marked. */
    focus() {
      const element = field(args.field);
      if (!element || isSecret(element)) return false;
      element.scrollIntoView({ block: 'center', behavior: 'instant' });
      element.focus();
      if (isEditable(element)) getSelection().selectAllChildren(element);
      else element.select?.();
      return focused() === element;
    },

    /** Chooses or sets a value that is not typed. */
    set() {
      const element = field(args.field);
      if (!element || isSecret(element)) return false;
      if (element.matches('select')) {
        const options = [...element.options].filter((option) => !option.disabled);
        const wanted = folded(args.text);
        const exact = options.find((option) => folded(option.label) === wanted || folded(option.value) === wanted);
        const option = exact ?? options.find((one) => rank(folded(one.label), wanted) !== undefined);
        if (!option) return false;
        element.value = option.value;
      } else {
        element.value = args.text;
        if (element.value !== args.text) return false;
      }
      element.dispatchEvent(new Event('input', { bubbles: true }));
      element.dispatchEvent(new Event('change', { bubbles: true }));
      return true;
    },

    /** What is in a field now. */
    value() {
      const element = field(args.field);
      if (!element || isSecret(element)) return null;
      const chosen = element.matches('select') ? element.selectedOptions[0]?.label : undefined;
      return plain(chosen ?? (isEditable(element) ? element.innerText : element.value)).slice(0, args.chars);
    },

    scroll() {
      const element = scrolling();
      const end = element.scrollHeight - element.clientHeight;
      const step = args.pixels ?? Math.round(element.clientHeight * 0.8);
      const to = { up: element.scrollTop - step, down: element.scrollTop + step, top: 0, bottom: end }[args.to];
      element.scrollTo({ top: to, behavior: 'instant' });
      const at = Math.min(Math.max(element.scrollTop, 0), end);
      return { percent: end > 0 ? Math.round((at / end) * 100) : 100, at_end: at >= end - 1 };
    },
  };
  return acts[act]();
}
