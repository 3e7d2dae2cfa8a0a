#!/usr/bin/env node
// Testee for @stomp/stompjs 7 over @stomp/tcp-wrapper: carries out the orders of Assay, see spec/testee.md.
'use strict';
const lab = process.env.ASSAY_LAB_DIR || process.env.HOME + '/.cache/assay/lab';
const modules = lab + '/npm/node_modules/';
const need = require('module').createRequire(modules);
const { address, Events, content, given, serve, within } = require('../control.js');
const { Client, Versions } = need('@stomp/stompjs');
const { TCPWrapper } = need('@stomp/tcp-wrapper');

const can = ('receipt nack transaction transaction-ack beats binary headers unsubscribe-receipt disconnect-receipt ack-mode ' +
  'error-event closed-event choose-version choose-id 1.0 1.1 1.2').split(' ');
const webSocketFactory = () => new TCPWrapper(address.host, address.port);

let subject, events, messages, transactions;

function onMessage(frame) {
  const message = messages.push(frame);
  events.put({ event: 'message', message, ...content(frame.headers, frame.binaryBody) });
}

function connect(order) {
  const mine = events = new Events();
  messages = []; transactions = {};
  return within(order.wait, new Promise((resolve, reject) => {
    let trouble = '';
    const over = reason => { mine.put({ event: 'closed', reason }); reject(new Error(reason)); };
    subject = new Client({
      webSocketFactory, reconnectDelay: 0,
      connectHeaders: JSON.parse(JSON.stringify({ login: order.login, passcode: order.passcode, host: 'assay' })), // without what is absent
      onConnect: () => resolve({ version: subject.connectedVersion }),
      onStompError: frame => {
        mine.put({ event: 'error', ...content(frame.headers, frame.binaryBody) });
        reject(new Error('ERROR: ' + frame.headers.message));
      },
      onUnhandledMessage: onMessage,
      onUnhandledReceipt: frame => mine.put({ event: 'receipt', id: frame.headers['receipt-id'] }),
      onWebSocketError: event => { trouble = ': ' + event.message; },
      onWebSocketClose: event => over('onWebSocketClose, code ' + event.code + trouble),
      onHeartbeatLost: () => over('onHeartbeatLost'),
    });
    if (order.beats) [subject.heartbeatOutgoing, subject.heartbeatIncoming] = order.beats;
    if (order.version !== 'default') subject.stompVersions = new Versions([order.version]);
    // What the library throws outside of any call of ours ends nothing but the subject.
    process.removeAllListeners('uncaughtException').on('uncaughtException', error => over('uncaught exception: ' + error));
    subject.activate();
  }));
}

// A receipt that is asked for is watched for, the way of the library to learn of it.
function watched(order, headers) {
  if (!order.receipt) return headers;
  const receipt = 'receipt-' + order.n, mine = events;
  subject.watchForReceipt(receipt, () => mine.put({ event: 'receipt', id: receipt }));
  return { ...headers, receipt };
}

async function carryOut(order) {
  const tx = order.transaction, inTx = tx ? { transaction: tx } : {};
  switch (order.do) {
    case 'hello': {
      const { version } = JSON.parse(require('fs').readFileSync(modules + '@stomp/stompjs/package.json'));
      return { library: '@stomp/stompjs', version, language: 'JavaScript', can };
    }
    case 'connect': return connect(order);
    case 'send': {
      const octets = given(order);
      const body = order.text ? { body: octets.toString() } : { binaryBody: new Uint8Array(octets) };
      return subject.publish({ destination: order.destination, headers: watched(order, { ...order.headers, ...inTx }), ...body });
    }
    case 'subscribe': subject.subscribe(order.destination, onMessage, watched(order, { id: order.id, ack: order.ack ?? 'auto' })); break;
    case 'unsubscribe': return subject.unsubscribe(order.id, watched(order, {}));
    case 'receive': return events.next(order.wait);
    case 'ack': return messages[order.message - 1].ack(inTx);
    case 'nack': return messages[order.message - 1].nack(inTx);
    case 'begin': transactions[tx] = subject.begin(tx); break;
    case 'commit': return transactions[tx].commit();
    case 'abort': return transactions[tx].abort();
    case 'disconnect': return within(order.wait, subject.deactivate());
  }
}

serve(carryOut);
