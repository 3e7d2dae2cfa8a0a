// Testee for stomp-client: carries out the orders of Assay with the release in the folder given, see spec/testee.md.
'use strict';
const { address, Events, content, given, serve, within } = require('../control.js');
const folder = process.argv[2] + '/node_modules/stomp-client';
const library = require(folder);
const StompClient = library.StompClient ?? library;

const can = 'headers error-event closed-event 1.0'.split(' ');

let subject, events;

function connect(order) {
  const mine = events = new Events();
  return within(order.wait, new Promise((resolve, reject) => {
    const over = reason => { mine.put({ event: 'closed', reason }); reject(new Error(reason)); };
    const client = subject = new StompClient(address.host, address.port, order.login, order.passcode, '1.0');
    client.on('disconnect', () => over('disconnect'));
    client.connect(resolve, (error, body) => {
      if (body === undefined) return over(String(error));
      mine.put({ event: 'error', ...content(error, body) });
      reject(error);
    });
    process.removeAllListeners('uncaughtException').on('uncaughtException', error => over('uncaught exception: ' + error));
  }));
}

let messages = 0;

async function carryOut(order) {
  switch (order.do) {
    case 'hello': return { library: 'stomp-client', version: require(folder + '/package.json').version, language: 'JavaScript', can };
    case 'connect': {
      messages = 0;
      await connect(order);
      return { version: '1.0' };
    }
    case 'send': return void subject.publish(order.destination, given(order).toString(), order.headers);
    case 'subscribe': {
      const mine = events;
      subject.subscribe(order.destination, { id: order.id }, (body, headers) => mine.put({ event: 'message', message: ++messages, ...content(headers, body) }));
      return {};
    }
    case 'receive': return events.next(order.wait);
    case 'disconnect': return within(order.wait, new Promise(resolve => subject.disconnect(resolve)));
    default: return { unsupported: 'the library has no way to ' + order.do };
  }
}

serve(carryOut);
