// The control connection of the testees in JavaScript, see spec/testee.md. It is written by hand and steers only: what a
// library gets wrong would break it too. What is judged is the subject, which each testee opens with its library.
'use strict';
const crypto = require('crypto');
const net = require('net');

exports.address = { host: process.env.ASSAY_HOST, port: Number(process.env.ASSAY_PORT) };

// What a library tells is kept until it is asked for.
exports.Events = class {
  constructor() { this.queue = []; this.taker = undefined; }
  put(event) { this.queue.push(event); this.taker?.(); }
  async next(wait) {
    if (!this.queue.length) await exports.within(wait, new Promise(resolve => { this.taker = resolve; })).catch(() => {});
    return this.queue.shift() ?? { event: 'none' };
  }
};

exports.within = (wait, promise) => {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('nothing within the wait')), wait); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

exports.content = (headers, body) => {
  const octets = Buffer.from(body), text = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  if (octets.length <= 65536) return { headers: text, body: octets.toString('base64') };
  return { headers: text, size: octets.length, sha256: crypto.createHash('sha256').update(octets).digest('hex') };
};

exports.given = order => {
  const once = Buffer.from(order.body ?? '', 'base64');
  return order.size ? Buffer.alloc(order.size, once) : once;
};

// Opens the control connection and carries orders out until it ends, which ends the process.
exports.serve = carryOut => {
  const socket = net.connect(exports.address), frame = (...lines) => socket.write(lines.join('\n') + '\0');
  let kept = '';
  socket.setEncoding('latin1');
  socket.on('error', () => process.exit(0)).on('close', () => process.exit(0));
  frame('CONNECT', 'accept-version:1.2', 'host:assay', 'login:assay', 'passcode:assay', 'heart-beat:0,0', '', '');
  socket.on('data', async more => {
    // Orders are ASCII on one line, so that the first NUL ends a frame whatever it says of its length.
    const [...frames] = (kept += more).split('\0');
    kept = frames.pop();
    for (const [command, ...rest] of frames.map(f => f.trimStart().split('\n'))) {
      if (command === 'CONNECTED') frame('SUBSCRIBE', 'id:orders', 'destination:/assay/orders', 'ack:auto', '', '');
      if (command !== 'MESSAGE') continue;
      const order = JSON.parse(rest.pop());
      const report = await Promise.resolve(order).then(carryOut).catch(error => ({ error: String(error) }));
      const ascii = JSON.stringify({ ...report, n: order.n }).replace(/[\x7f-\uffff]/g, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
      frame('SEND', 'destination:/assay/reports', '', ascii);
    }
  });
};
