// Testee for @stomp/stompjs 3 to 5 over WebSocket: carries out the orders of Assay with the release in the folder given,
// through the entry that all of them have, see spec/testee.md.
'use strict';
const util = require('util');
const { Events, content, given, serve, within } = require('../control.js');
const modules = process.argv[2] + '/node_modules/';
const WebSocket = require(modules + 'ws');
const library = require(modules + '@stomp/stompjs');
// From 5 on the library's documentation has users of Node set these.
Object.assign(global, { WebSocket, TextEncoder: util.TextEncoder, TextDecoder: util.TextDecoder });

const can = 'headers nack ack-mode beats error-event closed-event choose-id 1.0 1.1 1.2'.split(' ');
const open = version => new WebSocket(process.env.ASSAY_URL, [{ '1.0': 'v10.stomp', 1.1: 'v11.stomp' }[version] ?? 'v12.stomp']);

let subject, events, messages, subscriptions;

function onMessage(mine, message) {
  mine.put({ event: 'message', message: messages.push(message), ...content(message.headers, message.body) });
}

function connect(order) {
  const mine = events = new Events();
  messages = []; subscriptions = {};
  return within(order.wait, new Promise((resolve, reject) => {
    const over = reason => { mine.put({ event: 'closed', reason: String(reason) }); reject(new Error(reason)); };
    process.removeAllListeners('uncaughtException').on('uncaughtException', error => over('uncaught exception: ' + error));
    // Up to 4 the library takes a WebSocket, later a function that makes one.
    const client = subject = library.Stomp ? library.Stomp.over(() => open(order.version)) : library.over(open(order.version));
    client.debug = () => {};
    client.reconnect_delay = 0;
    [client.heartbeat.outgoing, client.heartbeat.incoming] = order.beats ?? [0, 0];
    const headers = { host: 'assay' };
    for (const name of ['login', 'passcode']) if (order[name] !== undefined) headers[name] = order[name];
    client.connect(headers, () => resolve({ version: String(client.version ?? client.connectedVersion ?? '') || undefined }), frame => {
      if (!frame?.command) return over(frame?.reason || frame?.code || frame);
      mine.put({ event: 'error', ...content(frame.headers, frame.body) });
      reject(new Error('ERROR: ' + frame.headers.message));
    });
  }));
}

async function carryOut(order) {
  switch (order.do) {
    case 'hello': return { library: '@stomp/stompjs', version: require(modules + '@stomp/stompjs/package.json').version, language: 'JavaScript', can };
    case 'connect': return connect(order);
    case 'send': return void subject.send(order.destination, order.headers, given(order).toString());
    case 'subscribe':
      subscriptions[order.id] = subject.subscribe(order.destination, onMessage.bind(null, events), { id: order.id, ack: order.ack ?? 'auto' });
      return {};
    case 'unsubscribe': return void subscriptions[order.id].unsubscribe();
    case 'receive': return events.next(order.wait);
    case 'ack': return void messages[order.message - 1].ack();
    case 'nack': return void messages[order.message - 1].nack();
    case 'disconnect': return within(order.wait, new Promise(resolve => subject.disconnect(resolve)));
    default: return { unsupported: 'the testee of old releases does not know ' + order.do };
  }
}

serve(carryOut);
