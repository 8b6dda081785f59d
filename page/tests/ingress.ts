/** Home Assistant's Ingress without a Home Assistant: what its `hassio` integration and its Supervisor do to a request
 * between a browser and an add-on, both in one server.
 *
 * - It lies under `/api/hassio_ingress/TOKEN/`, framed by a page of the same origin, and takes a cookie of the session.
 * - Requests come from the Supervisor's address, with the browser's `Host`, `Origin` and `Authorization`, and with
 *   `X-Ingress-Path`, `X-Forwarded-*`, `X-Hass-Source` and `X-Remote-User-*`.
 * - Bodies are read whole and sent on with a length of their own; a type loses its parameters.
 * - A WebSocket is accepted before the add-on is asked for one; each side has its own handshake, without extensions.
 */

import { createHash, randomBytes } from 'node:crypto';
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** Stands for the Supervisor's 172.30.32.2: another address than the browser's and the daemon's. */
const SUPERVISOR = '127.30.32.2';
const PREFIX = `/api/hassio_ingress/${randomBytes(24).toString('base64url')}`;
const SESSION = randomBytes(32).toString('hex');
const DROPPED = ['content-length', 'content-encoding', 'transfer-encoding', 'connection', 'upgrade', 'keep-alive'];
const DROPPED_OF_ANSWERS = ['transfer-encoding', 'content-length', 'content-type', 'content-encoding', 'connection', 'keep-alive'];
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export interface Ingress {
  port: number;
  prefix: string;
  /** Paths that were asked for outside of the prefix, but for the frame itself. */
  strays: string[];
  /** Headers of the last request that was passed on. */
  passed: () => IncomingHttpHeaders;
  /** Ends the session, as Home Assistant does after some time. */
  expire: (isOver: boolean) => void;
  close: () => void;
}

/** What goes to the add-on of the browser's headers. */
function passedOn(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || DROPPED.includes(name) || name.startsWith('sec-websocket-')) continue;
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return {
    ...headers,
    'X-Ingress-Path': PREFIX,
    'X-Hass-Source': 'core.ingress',
    'X-Forwarded-For': `${incoming.socket.remoteAddress}, 172.30.32.1`,
    'X-Forwarded-Host': incoming.headers.host ?? '',
    'X-Forwarded-Proto': 'http',
    'X-Remote-User-Id': '4711',
    'X-Remote-User-Name': 'anna',
    'X-Remote-User-Display-Name': 'Anna',
  };
}

/** `daemon`: `host:port` that the add-on listens on. */
export async function ingress(daemon: string): Promise<Ingress> {
  const [host = '', daemonPort = ''] = daemon.split(':');
  const strays: string[] = [];
  let last: IncomingHttpHeaders = {};
  let isOver = false;
  const hasSession = (incoming: IncomingMessage) => !isOver && (incoming.headers.cookie ?? '').includes(`ingress_session=${SESSION}`);
  const sockets = new Set<Socket>();

  const answer = (incoming: IncomingMessage, to: ServerResponse) => {
    const url = incoming.url ?? '/';
    if (url === '/hark') {
      to.writeHead(200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Set-Cookie': `ingress_session=${SESSION}; Path=/api/hassio_ingress/; SameSite=Strict`,
      });
      to.end(`<!doctype html><title>Home Assistant</title><iframe title="Hark" style="border:0;width:100%;height:95vh" src="${PREFIX}/"></iframe>`);
      return;
    }
    if (!url.startsWith(`${PREFIX}/`)) {
      // The picture of Home Assistant's own page.
      if (url === '/favicon.ico') {
        to.writeHead(204).end();
        return;
      }
      strays.push(url);
      to.writeHead(404).end();
      return;
    }
    if (!hasSession(incoming)) {
      to.writeHead(401, { 'Content-Type': 'text/plain' }).end('401: Unauthorized');
      return;
    }
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const body = Buffer.concat(pieces);
      const headers = { ...passedOn(incoming), ...(body.length > 0 ? { 'Content-Length': String(body.length) } : {}) };
      last = headers;
      const options = { host, port: daemonPort, localAddress: SUPERVISOR, path: url.slice(PREFIX.length), method: incoming.method, headers };
      const passed = request(options, (response) => {
        const told: Record<string, string | string[]> = {};
        for (const [name, value] of Object.entries(response.headers)) {
          if (value !== undefined && !DROPPED_OF_ANSWERS.includes(name)) told[name] = value;
        }
        const type = response.headers['content-type']?.split(';')[0]?.trim();
        if (type !== undefined) told['content-type'] = type;
        const parts: Buffer[] = [];
        response.on('data', (piece: Buffer) => parts.push(piece));
        response.on('end', () => to.writeHead(response.statusCode ?? 502, told).end(Buffer.concat(parts)));
      });
      passed.on('error', () => to.writeHead(502).end());
      passed.end(body);
    });
  };

  const server = createServer(answer);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (incoming: IncomingMessage, browser: Socket, head: Buffer) => {
    const url = incoming.url ?? '';
    if (!url.startsWith(`${PREFIX}/`) || !hasSession(incoming)) {
      browser.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const protocols = incoming.headers['sec-websocket-protocol'];
    const accept = createHash('sha1').update(`${incoming.headers['sec-websocket-key']}${GUID}`).digest('base64');
    const [chosen] = (protocols ?? '').split(',');
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: upgrade', `Sec-WebSocket-Accept: ${accept}`];
    if (protocols !== undefined) lines.push(`Sec-WebSocket-Protocol: ${chosen}`);
    browser.write(`${lines.join('\r\n')}\r\n\r\n`);
    const addOn = connect({ host, port: Number(daemonPort), localAddress: SUPERVISOR }, () => {
      const own = [`GET ${url.slice(PREFIX.length)} HTTP/1.1`];
      for (const [name, value] of Object.entries(passedOn(incoming))) own.push(`${name}: ${value}`);
      own.push('Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13');
      own.push(`Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`);
      if (protocols !== undefined) own.push(`Sec-WebSocket-Protocol: ${protocols}`);
      addOn.write(`${own.join('\r\n')}\r\n\r\n`);
    });
    let begun = Buffer.alloc(0);
    const handshake = (piece: Buffer) => {
      begun = Buffer.concat([begun, piece]);
      const end = begun.indexOf('\r\n\r\n');
      if (end < 0) return;
      addOn.off('data', handshake);
      if (!begun.toString('latin1').startsWith('HTTP/1.1 101')) {
        browser.destroy();
        addOn.destroy();
        return;
      }
      browser.write(begun.subarray(end + 4));
      addOn.write(head);
      addOn.pipe(browser).pipe(addOn);
    };
    addOn.on('data', handshake);
    for (const [one, other] of [[addOn, browser], [browser, addOn]] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    prefix: PREFIX,
    strays,
    passed: () => last,
    expire: (over) => {
      isOver = over;
      // Sockets that are open are closed, too.
      if (over) for (const socket of sockets) socket.destroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
