// The transport of one tab, and the server behind it.

// The library checks nothing of what it is sent; a topic that is no text is told of as its JSON.
export const topicText = (topic) => (typeof topic === 'string' ? topic : JSON.stringify(topic) ?? String(topic));

export class Line {
  constructor(world, tab, opens) {
    Object.assign(this, { world, tab, opens, handlers: undefined, waiting: undefined, connected: false });
    this.told = new Set(); // topics that it was asked to subscribe and not to leave, in this connection
  }

  // What the library is given.
  transport() {
    return {
      start: (config, handlers) => this.start(handlers),
      stop: () => this.stop(),
      subscribe: (topic) => this.ask('tsub', topicText(topic), () => this.told.add(topicText(topic))),
      unsubscribe: (topic) => this.ask('tunsub', topicText(topic), () => this.told.delete(topicText(topic))),
      publish: (topic, data) => this.world.note(this.tab, 'tpub', { topic: topicText(topic), data }),
    };
  }

  ask(kind, topic, then) {
    this.world.note(this.tab, kind, { topic });
    then();
  }

  start(handlers) {
    this.world.note(this.tab, 'tstart');
    this.handlers = handlers;
    this.told.clear();
    this.connected = false;
    const opening = new Promise((done, failed) => { this.waiting = { done, failed }; });
    if (this.opens !== 'manual') this.opened(this.opens === 'fail');
    return opening;
  }

  // opened ends the opening that waits, if there is one. The transport says that it is connected, then start is over.
  opened(fails) {
    if (!this.waiting) return;
    const { done, failed } = this.waiting;
    this.waiting = undefined;
    if (fails) {
      failed(new Error('the connection is refused'));
      return;
    }
    this.connected = true;
    this.handlers.onStatus('connected');
    done();
  }

  stop() {
    this.world.note(this.tab, 'tstop');
    this.lose();
  }

  lose() {
    this.connected = false;
    this.told.clear();
  }

  // say tells how the connection is. One that is lost takes what was subscribed with it.
  say(status) {
    if (status === 'connected') this.connected = true;
    if (status === 'disconnected' || status === 'error') this.lose();
    this.handlers?.onStatus(status);
  }

  served() { return this.connected ? [...this.told] : []; }

  emit(topic, data) { this.handlers?.onMessage({ topic, data }); }
}
