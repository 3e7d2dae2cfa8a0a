"use strict";
// Storage: writes, and who sees them.

// write puts n numbers into two keys, the first one first, and tells when each was written.
lab.write = async (prefix, n) => {
	const done = [];
	let unseen = 0;
	for (let i = 1; i <= n; i++) {
		localStorage.setItem(prefix + ":a", i);
		localStorage.setItem(prefix + ":b", i);
		done.push(lab.now());
		if (localStorage.getItem(prefix + ":a") !== String(i) || localStorage.getItem(prefix + ":b") !== String(i)) unseen++;
		localStorage.removeItem(prefix + ":c");
		if (localStorage.getItem(prefix + ":c") !== null || Object.keys(localStorage).includes(prefix + ":c")) unseen++;
		localStorage.setItem(prefix + ":c", i);
		await lab.pause(1);
	}
	return { done, unseen };
};

// watch reads both keys in task after task. The second one is read first: who sees the later write must see the earlier one.
lab.watch = prefix => {
	let going = true, last = 0;
	const seen = { reads: 0, back: 0, swapped: 0, moved: 0, spins: 0, first: [], until: [] };
	const read = key => Number(localStorage.getItem(prefix + key) ?? 0);
	const loop = (async () => {
		for (; going; await lab.task()) {
			const at = lab.now(), b = read(":b"), a = read(":a");
			seen.reads++;
			if (a < b) seen.swapped++;
			if (b < last) seen.back++;
			if (seen.first.at(-1)?.[0] !== b) { seen.first.push([b, at]); seen.until.push([b, at]); } else seen.until.at(-1)[1] = at;
			last = b;
			if (seen.reads % 64 === 0) {
				seen.spins++;
				lab.spin(2);
				if (read(":b") !== b) seen.moved++;
			}
		}
	})();
	return lab.start("watch", { stop: async () => { going = false; await loop; return seen; } });
};

// beside writes n times here, and reads each time in the tab that it has opened, which has the same process.
lab.beside = async (other, key, n) => {
	const seen = { n, stale: 0, first: 0 };
	for (let i = 1; i <= n; i++) {
		localStorage.setItem(key, i);
		if (other.localStorage.getItem(key) !== String(i)) {
			seen.stale++;
			seen.first ||= i;
		}
		if (i % 8 === 0) await lab.task();
	}
	return seen;
};

// both writes own values to keys that another tab writes at the same time.
lab.both = async (prefix, who, keys, at) => {
	await lab.pause(at - lab.now());
	for (let i = 0; i < keys; i++) {
		localStorage.setItem(prefix + i, who + i + "#" + who.repeat(2000));
		if (i % 4 === 0) await lab.task();
	}
	return true;
};

// torn reads those keys meanwhile, and counts the values that nobody wrote.
lab.torn = (prefix, keys) => {
	let going = true, reads = 0, torn = 0;
	const loop = (async () => {
		for (; going; await lab.task()) {
			const i = reads++ % keys, v = localStorage.getItem(prefix + i);
			if (v !== null && v !== v[0] + i + "#" + v[0].repeat(2000)) torn++;
		}
	})();
	return lab.start("torn", { stop: async () => { going = false; await loop; return { reads, torn }; } });
};

// values tells whose value is in each of those keys; a question mark is none of both.
lab.values = (prefix, keys) => {
	let text = "";
	for (let i = 0; i < keys; i++) {
		const v = localStorage.getItem(prefix + i) ?? "?";
		text += v === v[0] + i + "#" + v[0].repeat(2000) ? v[0] : "?";
	}
	return text;
};

// add reads, adds one and writes, as tabs do that have no lock.
lab.add = async (key, n, at) => {
	await lab.pause(at - lab.now());
	for (let i = 0; i < n; i++) {
		localStorage.setItem(key, Number(localStorage.getItem(key) ?? 0) + 1);
		await lab.task();
	}
	return n;
};

// churn sets and removes keys until it is stopped.
lab.churn = prefix => {
	let going = true, changes = 0;
	const loop = (async () => {
		for (let i = 0; going; i++, changes++) {
			localStorage.setItem(prefix + i % 40, i);
			localStorage.removeItem(prefix + (i * 7 + 3) % 40);
			if (i % 3 === 0) await lab.task();
		}
	})();
	return lab.start("churn", { stop: async () => { going = false; await loop; return changes; } });
};

// list enumerates while others write: stay keys stay.
lab.list = async (prefix, stay, n) => {
	const seen = { lists: 0, missing: 0, twice: 0, gone: 0, moved: 0 };
	for (let i = 0; i < stay; i++) localStorage.setItem(prefix + i, i);
	for (; seen.lists < n; await lab.task()) {
		const keys = [], length = localStorage.length;
		for (let i = 0; i < length; i++) keys.push(localStorage.key(i));
		seen.lists++;
		if (new Set(keys).size !== keys.length) seen.twice++;
		if (keys.filter(k => k?.startsWith(prefix)).length !== stay) seen.missing++;
		if (keys.some(k => k === null || localStorage.getItem(k) === null)) seen.gone++;
		if (seen.lists % 16 === 0) {
			lab.spin(2);
			if (localStorage.length !== length) seen.moved++;
		}
	}
	return seen;
};

// fill puts more and more into storage until it is refused, and tells how; it leaves spare characters free.
lab.fill = (prefix, spare) => {
	const chunk = "x".repeat(64 * 1024);
	const seen = { thrown: "", refused: 0, silent: 0, stored: 0, left: 0, grew: "", kept: false, small: false, after: false };
	localStorage.setItem(prefix + "own", "old");
	for (let size = chunk.length, i = 0; size >= 1;) {
		try {
			localStorage.setItem(prefix + i++, chunk.slice(0, size));
			if (localStorage.getItem(prefix + (i - 1))?.length === size) {
				seen.stored += size;
				continue;
			}
			seen.silent++;
			size = Math.floor(size / 2);
		} catch (e) {
			seen.thrown = e.name;
			seen.refused++;
			if (localStorage.getItem(prefix + --i) !== null) seen.left++;
			size = Math.floor(size / 2);
		}
	}
	try { localStorage.setItem(prefix + "own", chunk); } catch (e) { seen.grew = e.name; }
	seen.kept = localStorage.getItem(prefix + "own") === "old";
	localStorage.setItem(prefix + "own", "new");
	seen.small = localStorage.getItem(prefix + "own") === "new";
	localStorage.setItem(prefix + 0, chunk.slice(0, chunk.length - spare));
	localStorage.setItem(prefix + "own", "n".repeat(1024));
	seen.after = localStorage.getItem(prefix + "own").length === 1024;
	return seen;
};

// claim writes n values at a time at which another tab does so too, where not all of both find room, and tells which were not refused.
lab.claim = async (prefix, n, size, at) => {
	await lab.pause(at - lab.now() - 5);
	while (lab.now() < at);
	const taken = [];
	for (let i = 0; i < n; i++) {
		try {
			localStorage.setItem(prefix + i, "c".repeat(size));
			taken.push(prefix + i);
		} catch {}
	}
	return taken;
};

// absent returns those of the keys that do not come to be there in good time.
lab.absent = async keys => {
	const absent = () => keys.filter(k => localStorage.getItem(k) === null);
	for (const end = lab.now() + lab.patience; lab.now() < end && absent().length > 0;) await lab.pause(10);
	return absent();
};

lab.empty = prefix => {
	for (const k of Object.keys(localStorage)) if (k.startsWith(prefix)) localStorage.removeItem(k);
	return true;
};
