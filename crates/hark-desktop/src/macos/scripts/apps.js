// Programs. Arguments: "list" and folders; "running", "quit" or "force" and the identifier of a bundle.
ObjC.import('AppKit');

const files = $.NSFileManager.defaultManager;

function named(folder) {
  return ObjC.deepUnwrap(files.contentsOfDirectoryAtPathError($(folder), null)) || [];
}

function word(value) {
  const text = ObjC.unwrap(value);
  return typeof text === 'string' ? text : '';
}

function app(path) {
  const bundle = $.NSBundle.bundleWithPath($(path));
  const id = word(bundle.bundleIdentifier);
  if (!id) return [];
  return [{
    id: id,
    path: path,
    name: word(files.displayNameAtPath($(path))),
    category: word(bundle.objectForInfoDictionaryKey($('LSApplicationCategoryType'))),
  }];
}

// Programs of a folder, and of the folders in it.
function apps(folder, depth) {
  return named(folder).flatMap((name) => {
    const path = folder + '/' + name;
    if (name.endsWith('.app')) return app(path);
    return depth > 0 && !name.includes('.') ? apps(path, depth - 1) : [];
  });
}

function browser() {
  const page = $.NSURL.URLWithString($('https://example.org/'));
  const url = $.NSWorkspace.sharedWorkspace.URLForApplicationToOpenURL(page);
  return word($.NSBundle.bundleWithURL(url).bundleIdentifier);
}

function run(argv) {
  const [verb, ...words] = argv;
  if (verb === 'list') {
    const found = words.flatMap((path) => (path.endsWith('.app') ? app(path) : apps(path, 1)));
    return JSON.stringify({ apps: found, browser: browser() });
  }
  const running = ObjC.unwrap($.NSRunningApplication.runningApplicationsWithBundleIdentifier($(words[0])));
  for (const one of running) {
    // Methods without arguments run when they are read.
    if (verb === 'quit') one.terminate;
    if (verb === 'force') one.forceTerminate;
  }
  return JSON.stringify({ running: running.length });
}
