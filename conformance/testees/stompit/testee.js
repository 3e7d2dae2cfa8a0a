#!/usr/bin/env node
// Testee for stompit 1: carries out the orders of Assay with the library, see spec/testee.md.
'use strict';
const lab = process.env.ASSAY_LAB_DIR || process.env.HOME + '/.cache/assay/lab';
const modules = lab + '/npm/node_modules/';
const stompit = require(modules + 'stompit');

const can = ('receipt nack transaction transaction-ack beats binary headers disconnect-receipt ack-mode error-event closed-event ' +
  'choose-version choose-id 1.0 1.1 1.2').split(' ');
const content = (headers, body) => body.length <= 65536 ? { headers, body: Buffer.from(body).toString('base64') }
  : { headers, size: body.length, sha256: require('crypto').createHash('sha256').update(body).digest('hex') };
const address = { host: process.env.ASSAY_HOST, port: Number(process.env.ASSAY_PORT) };

let subject, events, messages, subscriptions, transactions;

// What the library tells is kept until it is asked for.
class Events {
  constructor() { this.queue = []; this.taker = undefined; }
  put(event) { this.queue.push(event); this.taker?.(); }
  async next(wait) {
    if (!this.queue.length) await within(wait, new Promise(resolve => { this.taker = resolve; })).catch(() => {});
    return this.queue.shift() ?? { event: 'none' };
  }
}

function within(wait, promise) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('nothing within the wait')), wait); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// A message is a stream, and the next frame is read only after its end.
function read(message, done) {
  const chunks = [];
  message.on('data', chunk => chunks.push(chunk));
  message.on('end', () => done(Buffer.concat(chunks)));
}

function onMessage(mine, error, message) {
  if (error) return; // the client tells of it as well
  read(message, body => {
    const headers = Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, String(value)]));
    mine.put({ event: 'message', message: messages.push(message), ...content(headers, body) });
  });
}

function connect(order) {
  const mine = events = new Events();
  messages = []; subscriptions = {}; transactions = {};
  const connectHeaders = { host: 'assay', login: order.login, passcode: order.passcode };
  if (order.version !== 'default') connectHeaders['accept-version'] = order.version;
  if (order.beats) connectHeaders['heart-beat'] = order.beats.join();
  return within(order.wait, new Promise((resolve, reject) => {
    const over = reason => mine.put({ event: 'closed', reason: String(reason) });
    subject = stompit.connect({ ...address, connectHeaders }, (error, client) => {
      error ? reject(error) : resolve({ version: client.headers.version });
    });
    subject.on('error', error => {
      // Of an ERROR frame the library shows the message and, of a short text, the body.
      if (!error.isApplicationError?.()) return over(error);
      mine.put({ event: 'error', ...content({ message: error.message }, Buffer.from(error.longMessage ?? '')) });
    });
    subject.on('end', () => over('end'));
    // What the library throws outside of any call of ours ends nothing but the subject.
    process.removeAllListeners('uncaughtException').on('uncaughtException', error => {
      over('uncaught exception: ' + error);
      reject(error);
    });
  }));
}

function send(order) {
  const once = Buffer.from(order.body ?? '', 'base64'), body = order.size ? Buffer.alloc(order.size, once) : once, mine = events;
  // The library's examples give text its type, and bodies that are not text their length.
  const more = order.text ? { 'content-type': 'text/plain' } : { 'content-length': body.length };
  const headers = { destination: order.destination, ...more, ...order.headers };
  const options = order.receipt ? { onReceipt: () => mine.put({ event: 'receipt', id: String(frame.headers.receipt) }) } : undefined;
  const frame = (order.transaction ? transactions[order.transaction] : subject).send(headers, options);
  return within(order.wait, new Promise((resolve, reject) => {
    frame.on('error', reject);
    frame.end(order.text ? body.toString() : body, error => error ? reject(error) : resolve());
  }));
}

async function carryOut(order) {
  const tx = order.transaction, inTx = tx ? { transaction: transactions[tx]?.id } : {};
  switch (order.do) {
    case 'hello': {
      const { version } = require(modules + 'stompit/package.json');
      return { library: 'stompit', version, language: 'JavaScript', can };
    }
    case 'connect': return connect(order);
    case 'send': return send(order);
    case 'subscribe':
      if (order.receipt) return { unsupported: 'a RECEIPT that the library did not ask for itself ends the connection' };
      subscriptions[order.id] = subject.subscribe({ id: order.id, destination: order.destination, ack: order.ack ?? 'auto' }, onMessage.bind(null, events));
      return { id: String(subscriptions[order.id].getId()) };
    case 'unsubscribe': return subscriptions[order.id].unsubscribe();
    case 'receive': return events.next(order.wait);
    case 'ack': return subject.ack(messages[order.message - 1], inTx);
    case 'nack': return subject.nack(messages[order.message - 1], inTx);
    case 'begin': transactions[tx] = subject.begin({ transaction: tx }); break;
    case 'commit': return transactions[tx].commit();
    case 'abort': return transactions[tx].abort();
    case 'disconnect':
      return within(order.wait, new Promise((resolve, reject) => subject.disconnect(error => error ? reject(error) : resolve())));
  }
}

stompit.connect({ ...address, connectHeaders: { host: 'assay', login: 'assay', passcode: 'assay' } }, (error, control) => {
  if (error) throw error;
  control.on('error', () => process.exit(0));
  control.subscribe({ destination: '/assay/orders', id: 'orders', ack: 'auto' }, (error, message) => error || read(message, async body => {
    const order = JSON.parse(body);
    const report = await carryOut(order).catch(error => ({ error: String(error) }));
    const ascii = JSON.stringify({ ...report, n: order.n }).replace(/[\x7f-\uffff]/g, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
    control.send({ destination: '/assay/reports' }).end(ascii);
  }));
});
