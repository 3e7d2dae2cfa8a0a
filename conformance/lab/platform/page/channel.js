"use strict";
// Frames, by themselves and against writes.

// send writes, posts and waits for the answer, n times. If after, it posts first, and the write comes in a microtask.
lab.send = async (name, n, after) => {
	const channel = new BroadcastChannel(name), answers = new BroadcastChannel(name + ":back");
	let got;
	answers.onmessage = () => got();
	for (let i = 1; i <= n; i++) {
		const answer = new Promise(done => { got = done; });
		if (after) queueMicrotask(() => localStorage.setItem(name, i)); else localStorage.setItem(name, i);
		channel.postMessage(i);
		await Promise.race([answer, lab.pause(lab.patience)]);
	}
	channel.close();
	answers.close();
	return n;
};

// pour writes and posts without waiting, a few at a time.
lab.pour = async (name, n) => {
	const channel = new BroadcastChannel(name);
	for (let i = 1; i <= n; i++) {
		localStorage.setItem(name, i);
		channel.postMessage(i);
		if (i % 8 === 0) await lab.pause(1);
	}
	await lab.pause(100);
	channel.close();
	return n;
};

// read looks, for each frame that comes, whether the write of its number is there, and then passes the frame on.
lab.read = (name, key, to) => {
	const channel = new BroadcastChannel(name), next = new BroadcastChannel(to);
	const seen = { frames: 0, stale: 0, first: 0, had: 0, behind: 0, late: 0 }, waits = [];
	const stored = () => Number(localStorage.getItem(key) ?? 0);
	let waiting = false;
	channel.onmessage = e => {
		const at = lab.now(), n = e.data, v = stored();
		seen.frames++;
		if (v < n) {
			seen.stale++;
			if (!seen.first) { seen.first = n; seen.had = v; }
			seen.behind = Math.max(seen.behind, n - v);
			if (!waiting) {
				waiting = true;
				waits.push((async () => {
					while (stored() < n && lab.now() < at + lab.patience) await lab.task();
					seen.late = Math.max(seen.late, lab.now() - at);
					waiting = false;
				})());
			}
		}
		next.postMessage(n);
	};
	return lab.start(name, { stop: async () => { await Promise.all(waits); channel.close(); next.close(); return seen; } });
};

// number posts n numbered frames a few in each task, and then a last one.
lab.number = async (name, from, n, at) => {
	const channel = new BroadcastChannel(name);
	if (at) await lab.pause(at - lab.now());
	for (let i = 1; i <= n; i++) {
		channel.postMessage([from, i]);
		if (i % 4 === 0) await lab.task();
	}
	channel.postMessage([from, 0]);
	return n;
};

// log keeps all frames, until each of the senders has said that it is through.
lab.log = (name, senders) => {
	const channel = new BroadcastChannel(name), got = [];
	let through, left = senders;
	const all = new Promise(done => { through = done; });
	channel.onmessage = e => { if (e.data[1] !== 0) got.push(e.data); else if (--left === 0) through(); };
	return lab.start(name, { stop: async () => { await Promise.race([all, lab.pause(lab.patience)]); channel.close(); return got; } });
};

// reply answers frame n of another with frame n of its own.
lab.reply = (name, from) => {
	const channel = new BroadcastChannel(name);
	channel.onmessage = e => { if (e.data[0] !== from) channel.postMessage([from, e.data[1]]); };
	return lab.start(name, { stop: async () => { channel.close(); return true; } });
};

// greet opens a channel, posts at once, and counts the answers, n times.
lab.greet = async (name, n) => {
	let answered = 0;
	for (let i = 1; i <= n; i++) {
		const channel = new BroadcastChannel(name);
		const answer = new Promise(done => { channel.onmessage = e => { if (e.data[1] === i) done(true); }; });
		channel.postMessage(["greet", i]);
		if (await Promise.race([answer, lab.pause(1000)])) answered++; else if (i - answered > 3) n = i;
		channel.close();
	}
	return { n, answered };
};

// echoes tells who gets what a channel posts: itself, or another of the same name in the page; and what a copy is.
lab.echoes = async (name, n) => {
	const own = new BroadcastChannel(name), other = new BroadcastChannel(name);
	const seen = { n, own: 0, other: 0, order: 0, shared: 0, mutated: 0, synchronous: 0, thrown: "", closed: "" };
	const sent = [];
	let done;
	const all = new Promise(ok => { done = ok; });
	own.onmessage = () => seen.own++;
	other.onmessage = e => {
		if (e.data.n !== ++seen.other) seen.order++;
		if (e.data === sent[e.data.n - 1]) seen.shared++;
		if (e.data.text !== "before" || e.data.at.deep !== null) seen.mutated++;
		if (seen.other === n) done();
	};
	for (let i = 1; i <= n; i++) {
		const frame = { n: i, text: "before", at: { deep: null } }, before = seen.other;
		sent.push(frame);
		own.postMessage(frame);
		if (seen.other !== before) seen.synchronous++;
		frame.text = "after";
		frame.at.deep = i;
	}
	try { own.postMessage({ f: () => 0 }); } catch (e) { seen.thrown = e.name; }
	await Promise.race([all, lab.pause(lab.patience)]);
	await lab.pause(50);
	own.close();
	other.close();
	try { own.postMessage(0); } catch (e) { seen.closed = e.name; }
	return seen;
};

// closing posts a frame on each of n channels and closes it in the same task.
lab.closing = async (name, n) => {
	for (let i = 1; i <= n; i++) {
		const channel = new BroadcastChannel(name);
		channel.postMessage(["closing", i]);
		channel.close();
		if (i % 4 === 0) await lab.task();
	}
	await lab.pause(200);
	new BroadcastChannel(name).postMessage(["closing", 0]);
	return n;
};

// deaf gets frames until it closes its channel in the midst of them, and counts what comes then, again and again.
lab.deaf = (name, rounds) => {
	const seen = { before: 0, after: 0, closed: 0 };
	const again = () => {
		const channel = new BroadcastChannel(name);
		let closed = false, n = 0;
		channel.onmessage = () => {
			if (closed) { seen.after++; return; }
			seen.before++;
			if (++n < 3) return;
			closed = true;
			channel.close();
			if (++seen.closed < rounds) again();
		};
	};
	again();
	return lab.start(name, { stop: async () => { await lab.pause(100); return seen; } });
};

// turns posts to itself n times: what a task leaves to its microtasks is done before the next frame or timer.
lab.turns = async (name, n) => {
	const from = new BroadcastChannel(name), to = new BroadcastChannel(name), seen = { n: 0, early: 0 };
	let owed = 0, done;
	const all = new Promise(ok => { done = ok; });
	const turn = () => {
		if (owed !== 0) seen.early++;
		owed += 3;
		queueMicrotask(() => owed--);
		Promise.resolve().then(() => owed--).then(() => owed--);
	};
	to.onmessage = () => { turn(); if (++seen.n === n) done(); };
	for (let i = 0; i < n; i++) {
		from.postMessage(i);
		if (i % 8 === 0) { setTimeout(turn, 0); await lab.task(); }
	}
	await Promise.race([all, lab.pause(lab.patience)]);
	from.close();
	to.close();
	return seen;
};
