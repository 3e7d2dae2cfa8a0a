const caseBlocks = [...document.querySelectorAll("script.cases")];
const parsed = new Map();

// casesOf parses the cases of one target when they are first asked for.
function casesOf(at) {
  if (!parsed.has(at)) parsed.set(at, JSON.parse(caseBlocks[at].textContent));
  return parsed.get(at);
}

const verdictOf = new Map(data.verdicts.map((v) => [v.word, v]));
const tagOf = (word) => node("span", { class: "tag v-" + word, title: verdictOf.get(word)?.meaning }, `${verdictOf.get(word)?.symbol ?? ""} ${word}`);
const termsOf = (pairs) => node("dl", { class: "pair" }, pairs.filter((p) => p[1] !== undefined && p[1] !== "").map(([name, value, code]) => [node("dt", {}, name), node("dd", {}, code ? node("code", {}, value) : String(value))]));
const commandOf = (text) => node("div", { class: "cmd" }, node("code", {}, text), node("button", { type: "button", class: "copy" }, "Copy"));

function findingOf(f, law) {
  return node("div", { class: "finding v-" + f.verdict },
    node("p", {}, tagOf(f.verdict), " ", f.law === law ? f.reason : [node("span", { class: "id" }, f.law), " ", f.reason]),
    termsOf([["expected", f.expected, true], ["seen", f.seen, true], ["step", f.step || ""], ["rests on", f.timed ? "a deadline" : ""]]));
}

function caseOf(c, law, open) {
  const meta = [
    c.version && "version " + c.version, c.ms > 0 && c.ms.toFixed(1) + " ms", c.attempts > 1 && c.attempts + " attempts",
    c.window_ms && `watched for ${c.window_ms} ms`, c.timing && "timing " + c.timing,
  ].filter(Boolean).join(" · ");
  const box = node("details", { class: "case", open },
    node("summary", {}, tagOf(c.verdict), node("span", {}, c.title || c.id), node("span", { class: "cid id" }, c.id)));
  const fill = () => {
    if (box.querySelector(".inner")) return;
    const told = (c.findings || []).some((f) => f.reason === c.reason);
    box.append(node("div", { class: "inner" },
      c.varies && node("p", { class: "meta" }, "± runs disagree: " + c.varies.join(", ")),
      c.reason && !told && node("p", {}, c.reason),
      [...(c.findings || [])].sort((a, b) => (b.law === law) - (a.law === law)).map((f) => findingOf(f, law)),
      (c.notes || []).length > 0 && termsOf(c.notes.map((n) => [n.key, n.value, true])),
      meta && node("p", { class: "meta" }, meta),
      c.known && node("p", {}, "Known: ", c.known),
      c.again && [node("p", { class: "meta" }, "replay"), commandOf(c.again)],
      c.command && [node("p", { class: "meta" }, "run again"), commandOf(c.command)],
      (c.transcript || []).length > 0 && transcriptOf(c.transcript),
      c.dropped && node("p", { class: "meta" }, "The transcript is left out to bound this page; the result file has it.")));
  };
  box.addEventListener("toggle", fill);
  if (open) fill();
  return box;
}

function lawOf(law) {
  return [
    node("h3", {}, law.title),
    law.statement ? node("blockquote", { class: "statement" }, law.statement) : node("p", { class: "meta" }, "This catalogue does not have the text of the law."),
    law.source && node("p", { class: "source" }, law.source, law.versions && ` · versions ${law.versions}`, law.role && ` · binds the ${law.role}`),
    law.withdrawn && node("p", { class: "note" }, "Withdrawn: " + law.withdrawn),
    law.check && node("details", {}, node("summary", { class: "soft" }, "How it is checked"), node("p", {}, law.check)),
    law.notes && node("details", {}, node("summary", { class: "soft" }, "Notes on the text"), node("p", {}, law.notes)),
  ];
}

const severity = ["fail", "lax", "inconclusive", "blocked", "info", "pass", "unsupported", "notrun"];

function evidenceOf(law, at) {
  const cases = law.cells[at].cases.map((i) => casesOf(at)[i]);
  if (cases.length === 0) return [node("p", { class: "meta" }, "No case of this target's runs speaks of this law.")];
  // Cases with a finding on this very law first, then by severity.
  const speaks = (c) => (c.findings || []).some((f) => f.law === law.id) ? 0 : 1;
  const order = [...cases].sort((a, b) => speaks(a) - speaks(b) || severity.indexOf(a.verdict) - severity.indexOf(b.verdict));
  return order.map((c, i) => caseOf(c, law.id, i === 0));
}

function showDetail() {
  const law = lawIndex.get(state.law);
  for (const b of document.querySelectorAll("#matrix [aria-current]")) b.removeAttribute("aria-current");
  byId("detail").classList.toggle("open", !!law);
  if (!law) {
    byId("detail-body").replaceChildren(node("div", { class: "empty" },
      node("p", {}, "Choose a cell to read the law beside its verdict, with the evidence."),
      node("p", { class: "soft" }, "Arrow keys move in the table, Enter chooses, ", node("kbd", {}, "/"), " filters, ", node("kbd", {}, "Esc"), " closes.")));
    return;
  }
  const single = data.targets.length === 1;
  const at = single ? 0 : data.targets.indexOf(state.t);
  const button = buttonFor(law.id, state.t) || buttonFor(law.id, "");
  button?.setAttribute("aria-current", "true");
  const chips = data.targets.map((t, i) => node("button", {
    type: "button", class: "chip v-" + law.cells[i].v, "aria-pressed": String(i === at), onclick: () => { select(law.id, t); byId("detail").querySelectorAll(".switch .chip")[i].focus(); },
  }, `${verdictOf.get(law.cells[i].v).symbol} ${t}`, node("span", { class: "n" }, law.cells[i].v + (law.cells[i].varies ? " ±" : ""))));
  byId("detail-body").replaceChildren(
    node("div", { class: "dhead" },
      at >= 0 && tagOf(law.cells[at].v), node("span", { class: "id" }, law.id), node("span", { class: "lvl" }, law.level),
      node("button", { type: "button", class: "close", onclick: closeDetail, "aria-label": "Close" }, "Close")),
    node("div", { class: "dbody" }, lawOf(law),
      !single && node("div", { class: "switch", role: "group", "aria-label": "Target" }, chips),
      at >= 0 && node("p", { class: "soft" }, `${data.targets[at]}: ${verdictOf.get(law.cells[at].v).meaning}`),
      at >= 0 && evidenceOf(law, at)));
  byId("detail").scrollTop = 0;
}

function buttonFor(law, t) {
  return [...(rowOf.get(law)?.querySelectorAll("button") || [])].find((b) => b.dataset.t === t);
}

const narrow = () => matchMedia("(max-width: 1100px)").matches;

function select(law, t) {
  state.law = law;
  state.t = t || "";
  showDetail();
  writeHash();
}

function closeDetail() {
  const back = buttonFor(state.law, state.t) || buttonFor(state.law, "");
  state.law = state.t = "";
  showDetail();
  writeHash();
  if (back) { rove(back); back.focus(); }
}

document.addEventListener("click", (e) => {
  const copy = e.target.closest(".copy");
  if (copy) { copyText(copy); return; }
  const at = e.target.closest("[data-law]");
  if (!at || !at.matches("button, a")) return;
  e.preventDefault();
  select(at.dataset.law, at.dataset.t);
  if (at.matches("a")) {
    byId("laws").scrollIntoView();
    (buttonFor(state.law, state.t) || buttonFor(state.law, ""))?.scrollIntoView({ block: "nearest" });
  }
  if (narrow() || at.matches("a")) byId("detail").focus({ preventScroll: true });
});

async function copyText(button) {
  const code = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

document.addEventListener("keydown", (e) => {
  const typing = e.target.matches("input, select, textarea");
  if (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey) {
    e.preventDefault();
    byId("q").focus();
  }
  if (e.key === "Escape" && !typing && state.law) closeDetail();
});

function start() {
  if (!readHash()) return;
  showControls();
  applyFilters();
  showDetail();
  if (state.law) buttonFor(state.law, state.t)?.scrollIntoView({ block: "nearest" });
}

addEventListener("hashchange", start);
showControls();
applyFilters();
start();
