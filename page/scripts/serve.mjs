// Serves the build with the headers the daemon sends, and passes `/api` and `/ws` on to a daemon:
//   node scripts/serve.mjs [--port 5180] [--daemon 127.0.0.1:8765] [--prefix /some/where]
// `Host` is left as it is: the daemon compares it with `Origin`.

import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const DIST = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};
export const HEADERS = {
  'Content-Security-Policy':
    "default-src 'self'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; frame-ancestors 'self'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
};

export async function serve({ port = 0, daemon, prefix = '' }) {
  const [host, daemonPort] = daemon.split(':');
  const sockets = new Set();
  const inside = (url) => (url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : null);
  const server = createServer(async (incoming, answer) => {
    const url = inside(incoming.url ?? '/');
    if (url === null) {
      answer.writeHead(404).end();
      return;
    }
    if (url.startsWith('/api/')) {
      const { method, headers } = incoming;
      const passed = request({ host, port: daemonPort, path: url, method, headers }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      });
      passed.on('error', () => {
        if (!answer.headersSent) answer.writeHead(502);
        answer.end();
      });
      incoming.pipe(passed);
      return;
    }
    const name = url.split('?')[0] === '/' ? 'index.html' : url.split('?')[0].slice(1);
    try {
      const body = await readFile(join(DIST, name.replaceAll('..', '')));
      answer.writeHead(200, { ...HEADERS, 'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream' });
      answer.end(body);
    } catch {
      answer.writeHead(404, HEADERS).end();
    }
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (incoming, socket, head) => {
    const url = inside(incoming.url ?? '');
    const passed = connect(Number(daemonPort), host, () => {
      const lines = [`GET ${url} HTTP/1.1`];
      for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
        lines.push(`${incoming.rawHeaders[at]}: ${incoming.rawHeaders[at + 1]}`);
      }
      passed.write(`${lines.join('\r\n')}\r\n\r\n`);
      passed.write(head);
      passed.pipe(socket).pipe(passed);
    });
    for (const [one, other] of [[passed, socket], [socket, passed]]) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}${prefix}/`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '5180' },
      daemon: { type: 'string', default: '127.0.0.1:8765' },
      prefix: { type: 'string', default: '' },
    },
  });
  const { url } = await serve({ ...values, port: Number(values.port) });
  console.log(url);
}
