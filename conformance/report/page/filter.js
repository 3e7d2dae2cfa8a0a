"use strict";
// Every text below came from a target that may be hostile. Nodes are made with createElement and text
// with textContent; nothing here parses a string as HTML.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

// node makes an element. Keys of props are attributes, "on…" keys listeners.
function node(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false && child !== "") e.append(child);
  }
  return e;
}

const lawIndex = new Map(data.laws.map((law) => [law.id, law]));
const rows = [...document.querySelectorAll("#matrix tr[data-law]")];
const rowOf = new Map(rows.map((row) => [row.dataset.law, row]));
for (const law of data.laws) {
  law.text = [law.id, law.title, law.level, law.role, law.statement, law.source].join(" ").toLowerCase();
}

const state = { q: "", v: new Set(), level: new Set(), group: "", on: "", differs: false, law: "", t: "" };

function readHash() {
  const hash = location.hash.slice(1);
  if (hash !== "" && !hash.includes("=")) return false; // a plain anchor
  const p = new URLSearchParams(hash);
  const list = (key, known) => new Set((p.get(key) || "").split(".").filter((word) => known.includes(word)));
  state.q = (p.get("q") || "").slice(0, 200);
  state.v = list("v", data.verdicts.map((v) => v.word));
  state.level = list("level", data.levels);
  state.group = data.groups.includes(p.get("group")) ? p.get("group") : "";
  state.on = data.targets.includes(p.get("on")) ? p.get("on") : "";
  state.differs = p.get("differs") === "1";
  state.law = lawIndex.has(p.get("law")) ? p.get("law") : "";
  state.t = data.targets.includes(p.get("t")) ? p.get("t") : "";
  return true;
}

function writeHash() {
  const p = new URLSearchParams();
  if (state.q) p.set("q", state.q);
  if (state.v.size) p.set("v", [...state.v].join("."));
  if (state.level.size) p.set("level", [...state.level].join("."));
  if (state.group) p.set("group", state.group);
  if (state.on) p.set("on", state.on);
  if (state.differs) p.set("differs", "1");
  if (state.law) p.set("law", state.law);
  if (state.law && state.t) p.set("t", state.t);
  const hash = p.toString();
  history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
}

function matches(law) {
  if (state.group && law.group !== state.group) return false;
  if (state.level.size && !state.level.has(law.level)) return false;
  if (state.differs && !law.differs) return false;
  if (state.v.size || state.on) {
    const at = data.targets.indexOf(state.on);
    const cells = at < 0 ? law.cells : [law.cells[at]];
    if (state.v.size && !cells.some((cell) => state.v.has(cell.v))) return false;
    if (!state.v.size && !cells.some((cell) => cell.v !== "notrun")) return false;
  }
  return state.q.toLowerCase().split(/\s+/).every((word) => law.text.includes(word));
}

function applyFilters() {
  let shown = 0;
  for (const law of data.laws) {
    const ok = matches(law);
    rowOf.get(law.id).hidden = !ok;
    if (ok) shown++;
  }
  for (const body of document.querySelectorAll("#matrix tbody")) {
    body.hidden = !body.querySelector("tr[data-law]:not([hidden])");
  }
  const all = data.laws.length;
  const active = state.q !== "" || state.v.size > 0 || state.level.size > 0 || state.group !== "" || state.on !== "" || state.differs;
  byId("count").textContent = active ? `${shown} of ${all} laws` : `${all} laws`;
  byId("none").hidden = shown > 0 || all === 0;
  byId("reset").hidden = !active;
  if (!document.querySelector("#matrix button[tabindex='0']")?.checkVisibility()) rove(grid()[0]?.[0]);
}

function showControls() {
  byId("q").value = state.q;
  byId("group").value = state.group;
  if (byId("on")) byId("on").value = state.on;
  byId("differs")?.setAttribute("aria-pressed", String(state.differs));
  for (const chip of document.querySelectorAll("[data-verdict]")) chip.setAttribute("aria-pressed", String(state.v.has(chip.dataset.verdict)));
  for (const chip of document.querySelectorAll("[data-level]")) chip.setAttribute("aria-pressed", String(state.level.has(chip.dataset.level)));
}

function changed() {
  showControls();
  applyFilters();
  writeHash();
}

const toggle = (set, word) => (set.has(word) ? set.delete(word) : set.add(word));

byId("filters").addEventListener("submit", (e) => e.preventDefault());
byId("filters").addEventListener("reset", (e) => {
  e.preventDefault();
  Object.assign(state, { q: "", v: new Set(), level: new Set(), group: "", on: "", differs: false });
  changed();
  byId("q").focus();
});
byId("q").addEventListener("input", (e) => { state.q = e.target.value; changed(); });
byId("group").addEventListener("change", (e) => { state.group = e.target.value; changed(); });
byId("on")?.addEventListener("change", (e) => { state.on = e.target.value; changed(); });
byId("differs")?.addEventListener("click", () => { state.differs = !state.differs; changed(); });
byId("verdicts").addEventListener("click", (e) => {
  const chip = e.target.closest("[data-verdict]");
  if (chip) { toggle(state.v, chip.dataset.verdict); changed(); }
});
byId("levels").addEventListener("click", (e) => {
  const chip = e.target.closest("[data-level]");
  if (chip) { toggle(state.level, chip.dataset.level); changed(); }
});

// The table is one tab stop; arrow keys move inside it.
function grid() {
  return rows.filter((row) => !row.hidden).map((row) => [...row.querySelectorAll("button")]);
}

function rove(button) {
  if (!button) return;
  document.querySelector("#matrix button[tabindex='0']")?.setAttribute("tabindex", "-1");
  button.setAttribute("tabindex", "0");
}

byId("matrix").addEventListener("focusin", (e) => { if (e.target.matches("button")) rove(e.target); });
byId("matrix").addEventListener("keydown", (e) => {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -99], End: [0, 99], PageUp: [-10, 0], PageDown: [10, 0] }[e.key];
  if (!step || e.altKey || e.ctrlKey || e.metaKey) return;
  const cells = grid();
  const y = cells.findIndex((row) => row.includes(document.activeElement));
  if (y < 0) return;
  e.preventDefault();
  const x = cells[y].indexOf(document.activeElement);
  const row = cells[Math.min(cells.length - 1, Math.max(0, y + step[0]))];
  const next = row[Math.min(row.length - 1, Math.max(0, x + step[1]))];
  next.focus();
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
});
