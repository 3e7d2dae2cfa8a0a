// Testee for stompit before 1: carries out the orders of Assay with the release in the folder given, see spec/testee.md.
'use strict';
const net = require('net');
const { address, Events, content, given, serve, within } = require('../control.js');
// Releases before 0.18 call a function of the runtime that it has no more under this name.
net._normalizeConnectArgs ??= list => { const [options, done] = net._normalizeArgs(Array.from(list)); return done ? [options, done] : [options]; };
const folder = process.argv[2] + '/node_modules/stompit';
const stompit = require(folder);

const can = 'headers nack ack-mode beats error-event closed-event choose-version choose-id 1.0 1.1 1.2'.split(' ');

let subject, events, messages, subscriptions;

// A body is a stream; the library's examples take it as a string, which it has a method for since 0.14.
function read(message, done) {
  if (message.readString) return message.readString('utf-8', (error, text) => error || done(text));
  const chunks = [];
  message.on('readable', () => { for (let chunk; (chunk = message.read()) !== null;) chunks.push(chunk); });
  message.on('end', () => done(Buffer.concat(chunks)));
}

// First the callback had the message alone, later an error and the message, then the subscription behind them.
function onMessage(mine, ...given) {
  const message = given.find(one => one?.read);
  if (!message) return; // an error, of which the client tells as well
  read(message, body => mine.put({ event: 'message', message: messages.push(message), ...content(message.headers, body) }));
}

function connect(order) {
  const mine = events = new Events();
  messages = []; subscriptions = {};
  const connectHeaders = { host: 'assay' };
  for (const name of ['login', 'passcode']) if (order[name] !== undefined) connectHeaders[name] = order[name];
  if (order.version !== 'default') connectHeaders['accept-version'] = order.version;
  if (order.beats) connectHeaders['heart-beat'] = order.beats.join();
  return within(order.wait, new Promise((resolve, reject) => {
    const over = reason => { mine.put({ event: 'closed', reason: String(reason) }); reject(reason); };
    stompit.connect({ ...address, connectHeaders }, (error, client) => {
      if (error) return reject(error);
      subject = client;
      client.on('error', error => {
        if (!error.isApplicationError?.()) return over(error);
        mine.put({ event: 'error', ...content({ message: error.message }, error.longMessage ?? '') });
      });
      client.on('end', () => over('end'));
      resolve({ version: client.headers?.version });
    });
    process.removeAllListeners('uncaughtException').on('uncaughtException', error => over('uncaught exception: ' + error));
  }));
}

async function carryOut(order) {
  switch (order.do) {
    case 'hello': return { library: 'stompit', version: require(folder + '/package.json').version, language: 'JavaScript', can };
    case 'connect': return connect(order);
    case 'send': {
      const body = given(order);
      const frame = subject.send({ destination: order.destination, 'content-length': body.length, ...order.headers });
      return within(order.wait, new Promise((resolve, reject) => {
        frame.on('error', reject);
        frame.on('finish', resolve);
        frame.end(body);
      }));
    }
    case 'subscribe':
      subscriptions[order.id] = subject.subscribe({ id: order.id, destination: order.destination, ack: order.ack ?? 'auto' }, onMessage.bind(null, events));
      return {};
    case 'unsubscribe': return void subscriptions[order.id].unsubscribe();
    case 'receive': return events.next(order.wait);
    // From 0.23 on the client acknowledges, before that the message.
    case 'ack': case 'nack': {
      const message = messages[order.message - 1];
      return void (subject[order.do] ? subject[order.do](message) : message[order.do]());
    }
    case 'disconnect': return within(order.wait, new Promise((resolve, reject) => subject.disconnect(error => error ? reject(error) : resolve())));
    default: return { unsupported: 'the testee of old releases does not know ' + order.do };
  }
}

serve(carryOut);
