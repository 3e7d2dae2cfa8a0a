"use strict";
// What a tab does for the platform check. Each function measures and tells; what it means is decided by who asked.
const lab = (() => {
	// The same clock in all tabs, finer than that of the wall.
	const now = () => performance.timeOrigin + performance.now();

	// task is a task of its own, without the least delay that timers have.
	const { port1, port2 } = new MessageChannel();
	const waiting = [];
	port1.onmessage = () => waiting.shift()();
	const task = () => new Promise(done => { waiting.push(done); port2.postMessage(0); });
	const pause = ms => new Promise(done => setTimeout(done, ms));
	const spin = ms => { for (const end = performance.now() + ms; performance.now() < end;); };
	const patience = 5000;

	// What is under way in this tab: stop ends it and returns what it has found.
	const running = new Map();
	const start = (name, work) => { running.set(name, work); return true; };
	const stop = async name => { const work = running.get(name); running.delete(name); return await work.stop(); };
	const look = name => running.get(name).look();
	const has = name => running.has(name);

	return { now, task, pause, spin, patience, start, stop, look, has };
})();

// pulse keeps when this tab had a turn, and hog lets none of its process have one.
lab.pulse = () => {
	let going = true;
	const at = [];
	const loop = (async () => { for (; going; await lab.task()) at.push(lab.now()); })();
	return lab.start("pulse", { stop: async () => { going = false; await loop; return at; } });
};
lab.hog = async ms => {
	await lab.pause(20);
	const from = lab.now();
	lab.spin(ms);
	return [from, lab.now()];
};
