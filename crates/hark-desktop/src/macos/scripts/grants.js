// What macOS lets this process do. Argument: "look".
ObjC.import('ApplicationServices');
ObjC.import('CoreGraphics');
ObjC.bindFunction('CGPreflightScreenCaptureAccess', ['bool', []]);

function run(argv) {
  return JSON.stringify({
    accessibility: Boolean($.AXIsProcessTrusted()),
    screen: Boolean($.CGPreflightScreenCaptureAccess()),
  });
}
