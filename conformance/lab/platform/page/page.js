"use strict";
// Clocks and timers, and how a page ends and comes back.

// ask sends its clocks and gets those of another, n times: the other's were read in between.
lab.ask = async (name, n) => {
	const channel = new BroadcastChannel(name), seen = [];
	let got;
	channel.onmessage = e => got(e.data);
	for (let i = 0; i < n; i++) {
		const answer = new Promise(done => { got = done; });
		const fine = lab.now(), wall = Date.now();
		channel.postMessage(0);
		const other = await Promise.race([answer, lab.pause(lab.patience)]);
		if (other) seen.push([fine, other[0], lab.now(), wall, other[1], Date.now()]);
	}
	channel.close();
	return seen;
};
lab.tell = name => {
	const channel = new BroadcastChannel(name);
	channel.onmessage = e => { if (e.data === 0) channel.postMessage([lab.now(), Date.now()]); };
	return lab.start(name, { stop: async () => { channel.close(); return true; } });
};

// beat keeps when a timer fired. Timers that timers set are slowed down more: a heartbeat is deep in them after some
// turns, and here at once.
lab.beat = (name, every) => {
	const made = lab.now(), fired = [];
	let timer;
	const deep = n => n > 0 ? setTimeout(deep, 0, n - 1) : timer = setInterval(() => fired.push(lab.now()), every);
	deep(6);
	const look = () => ({ made, now: lab.now(), fired, state: document.visibilityState });
	return lab.start(name, { look, stop: async () => { clearInterval(timer); return look(); } });
};

// doze keeps what happens to a page while it is frozen and thawed: timers, frames with what storage has then, and the events.
lab.doze = (name, every) => {
	const happened = [], channel = new BroadcastChannel(name);
	const note = (what, frame) => happened.push({ what, at: lab.now(), frame: frame ?? 0, stored: Number(localStorage.getItem(name) ?? 0) });
	const timer = setInterval(note, every, "timer");
	channel.onmessage = e => note("frame", e.data);
	document.addEventListener("freeze", () => note("freeze"));
	document.addEventListener("resume", () => note("resume"));
	return lab.start(name, { look: () => happened, stop: async () => { clearInterval(timer); channel.close(); return happened; } });
};
lab.post = (name, from, n) => {
	const channel = new BroadcastChannel(name);
	for (let i = from; i < from + n; i++) { localStorage.setItem(name, i); channel.postMessage(i); }
	channel.close();
	return lab.now();
};

// leave makes a page write and post in pagehide. It closes its channel in that task ("now"), in one of its own ("task"), or never.
lab.leave = (name, id, shut) => {
	const channel = new BroadcastChannel(name), key = name + ":" + id + ":", beats = [];
	const say = what => localStorage.setItem(key + "log", (localStorage.getItem(key + "log") ?? "") + what + " ");
	const set = what => localStorage.setItem(key + what, 1);
	setInterval(() => beats.push(lab.now()), 20);
	addEventListener("pagehide", e => {
		say(e.persisted ? "pagehide+persisted" : "pagehide");
		// What a handoff writes is short: a route, and then the frame that tells of it.
		localStorage.setItem(key + "route", "r".repeat(300));
		set("last");
		channel.postMessage([id, 1]);
		for (let i = 0; i < 20; i++) localStorage.setItem(key + "bulk" + i, "v".repeat(4096));
		queueMicrotask(() => set("micro"));
		Promise.resolve().then(() => 0).then(() => set("promise"));
		setTimeout(set, 0, "timer");
		if (shut === "now") channel.close();
		if (shut === "task") lab.task().then(() => channel.close());
	});
	let again;
	addEventListener("pageshow", e => {
		say((e.persisted ? "pageshow+persisted" : "pageshow") + "=" + (localStorage.getItem(name + ":meanwhile") ?? 0));
		again = { at: lab.now(), frames: 0 };
		new BroadcastChannel(name + ":while").onmessage = () => again.frames++;
	});
	document.addEventListener("visibilitychange", () => say(document.visibilityState));
	return lab.start(name, { look: () => ({ beats, again }), stop: async () => true });
};

// witness is told of pages that leave, and looks at once whether what they wrote before is there.
lab.witness = name => {
	const channel = new BroadcastChannel(name), frames = {};
	channel.onmessage = e => {
		const id = e.data[0];
		frames[id] ??= { n: 0, stale: 0 };
		frames[id].n++;
		if (localStorage.getItem(name + ":" + id + ":last") === null) frames[id].stale++;
	};
	return lab.start(name, { look: () => frames, stop: async () => { channel.close(); return frames; } });
};

// crash writes and posts; its process is made to crash right after.
lab.crash = (name, id) => {
	addEventListener("pagehide", () => localStorage.setItem(name + ":" + id + ":timer", 1));
	localStorage.setItem(name + ":" + id + ":last", 1);
	new BroadcastChannel(name).postMessage([id, 1]);
	return true;
};

// left waits until a page that leaves has been heard of, or half a second, and reads what it has written.
lab.left = async (name, id) => {
	const key = name + ":" + id + ":", there = k => localStorage.getItem(key + k) !== null;
	for (const end = lab.now() + 500; lab.now() < end && !(lab.look(name)[id] && there("last"));) await lab.pause(10);
	await lab.pause(60);
	let bulk = 0;
	for (let i = 0; i < 20; i++) if (localStorage.getItem(key + "bulk" + i) === "v".repeat(4096)) bulk++;
	return {
		log: (localStorage.getItem(key + "log") ?? "").trim(), bulk,
		there: Object.fromEntries(["last", "micro", "promise", "timer"].map(k => [k, there(k)])),
		frames: lab.look(name)[id]?.n ?? 0, stale: lab.look(name)[id]?.stale ?? 0,
	};
};
