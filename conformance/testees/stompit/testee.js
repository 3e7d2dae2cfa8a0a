#!/usr/bin/env node
// Testee for stompit 1: carries out the orders of Assay with the library, see spec/testee.md.
'use strict';
const lab = process.env.ASSAY_LAB_DIR || process.env.HOME + '/.cache/assay/lab';
const modules = lab + '/npm/node_modules/';
const { address, Events, content, given, serve, within } = require('../control.js');
const stompit = require(modules + 'stompit');

const can = ('receipt nack transaction transaction-ack beats binary headers disconnect-receipt ack-mode error-event closed-event ' +
  'choose-version choose-id 1.0 1.1 1.2').split(' ');

let subject, events, messages, subscriptions, transactions;

// A message is a stream, and the next frame is read only after its end.
function read(message, done) {
  const chunks = [];
  message.on('data', chunk => chunks.push(chunk));
  message.on('end', () => done(Buffer.concat(chunks)));
}

function onMessage(mine, error, message) {
  if (error) return; // the client tells of it as well
  read(message, body => mine.put({ event: 'message', message: messages.push(message), ...content(message.headers, body) }));
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
      mine.put({ event: 'error', ...content({ message: error.message }, error.longMessage ?? '') });
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
  const body = given(order), mine = events;
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

serve(carryOut);
