//! The files of `page/dist`, embedded.

use axum::http::Method;

/// A file as it is asked for.
pub(super) struct File {
    pub(super) path: &'static str,
    pub(super) content_type: &'static str,
    pub(super) bytes: &'static [u8],
}

macro_rules! files {
    ($($path:literal $content_type:literal $name:literal),* $(,)?) => {
        [$(File {
            path: $path,
            content_type: $content_type,
            bytes: include_bytes!(concat!("../../../page/dist/", $name)),
        }),*]
    };
}

/// All of them.
pub(super) static FILES: [File; 9] = files![
    "/" "text/html; charset=utf-8" "index.html",
    "/page.js" "text/javascript; charset=utf-8" "page.js",
    "/page.css" "text/css; charset=utf-8" "page.css",
    "/microphone.js" "text/javascript; charset=utf-8" "microphone.js",
    "/manifest.webmanifest" "application/manifest+json" "manifest.webmanifest",
    "/icon.svg" "image/svg+xml" "icon.svg",
    "/icon-192.png" "image/png" "icon-192.png",
    "/icon-512.png" "image/png" "icon-512.png",
    "/licenses.txt" "text/plain; charset=utf-8" "licenses.txt",
];

/// Whether a request is for a file of the page.
pub(super) fn is_asked_for(method: &Method, path: &str) -> bool {
    matches!(*method, Method::GET | Method::HEAD) && FILES.iter().any(|file| file.path == path)
}
