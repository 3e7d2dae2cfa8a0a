// A stand-in for the library, to test the adapter with: it has its outer form and uses everything that the adapter puts in place of the
// browser, but coordinates nothing. Each tab serves itself, and tells the others what it got.

import { nextBus } from './page.mjs';

class Cluster {
  subscribedTopics = new Set();
  assignedTopics = new Map();
  knownTopics = new Map();
  started = false;
  channel = null;

  constructor({ environment, tabId, workerId, clusterKey, storagePrefix = 'stand-in' }) {
    const session = environment.sessionStorage;
    const inherited = window.opener ? null : session.getItem('id');
    this.tabId = tabId ?? inherited ?? environment.randomId();
    session.setItem('id', this.tabId);
    this.workerId = workerId ?? `${this.tabId}-${nextBus()}`;
    this.name = `${storagePrefix}:${clusterKey}`;
    this.storage = environment.storage && { pending: new Map() };
    this.currentRecord = { role: 'active' };
  }
}

export class CrossTabDataBus {
  status = 'disconnected';

  constructor(options) {
    this.options = options;
    this.cluster = new Cluster(options);
    this.handlers = new Map();
    if ('initialConfig' in options) this.start(options.initialConfig);
  }

  onStatus(f) { this.tellStatus = f; f(this.status); }

  onError(f) { this.tellError = f; }

  write(key, value) {
    const { pending } = this.cluster.storage ?? {};
    if (!pending) return;
    if (pending.size === 0) queueMicrotask(() => this.flush());
    pending.set(`${this.cluster.name}:${key}`, value);
  }

  flush() {
    const { pending } = this.cluster.storage;
    try {
      for (const [key, value] of pending) {
        this.options.environment.storage.setItem(key, value);
        pending.delete(key);
      }
    } catch {
      setTimeout(() => this.flush(), 50);
    }
  }

  async start(config) {
    const { environment: env, transport } = this.options;
    const { cluster } = this;
    cluster.started = true;
    cluster.channel = env.createChannel(cluster.name);
    cluster.channel?.addEventListener('message', ({ data }) => {
      if (data.type === 'broken') throw new TypeError('it is broken');
      if (data.type === 'ping') cluster.channel.postMessage({ type: 'ping' });
      else this.dispatch(data.payload);
    });
    env.addPageHideListener(() => this.hide());
    env.addVisibilityChangeListener(() => this.write('visible', env.getVisibilityState()));
    this.beat = env.setInterval(() => this.write('beat', String(Date.now())), 1000);
    await transport.start(config, {
      onStatus: (status) => this.tellStatus?.(this.status = status),
      onError: (error) => this.tellError(error),
      onMessage: (message) => {
        cluster.channel?.postMessage({ type: 'EVENT', payload: message });
        this.dispatch(message);
      },
    });
  }

  async ready() { if (!this.cluster.started) throw new Error('it does not run'); }

  async stop() { this.hide(); }

  hide() {
    this.options.environment.clearInterval(this.beat);
    this.flush();
    this.cluster.channel?.close();
    this.cluster.channel = null;
    this.cluster.started = false;
    this.options.transport.stop();
  }

  subscribe(topic, handler) {
    if (topic === '') throw new RangeError('the topic is empty');
    this.handlers.set(topic, new Set([...this.handlers.get(topic) ?? [], handler]));
    this.cluster.subscribedTopics.add(topic);
    this.cluster.assignedTopics.set(topic, topic);
    this.write(topic, 'wanted');
    this.options.transport.subscribe(topic);
  }

  unsubscribe(topic, handler) {
    this.handlers.get(topic)?.delete(handler);
    if (this.handlers.get(topic)?.size === 0) this.options.transport.unsubscribe(topic);
  }

  publish(topic, data) { this.options.transport.publish(topic, data); }

  dispatch({ topic, data }) {
    for (const handler of this.handlers.get(topic) ?? []) {
      try {
        handler({ topic, data });
      } catch (error) {
        this.tellError(error);
      }
    }
  }
}
