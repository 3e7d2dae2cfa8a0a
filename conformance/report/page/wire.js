// octetsOf undoes the escapes of a transcript: \n \r \t \0 \\ and \xNN.
function octetsOf(text) {
  const out = [];
  const plain = new TextEncoder();
  for (let i = 0; i < text.length; ) {
    if (text[i] !== "\\") {
      const ch = String.fromCodePoint(text.codePointAt(i));
      out.push(...plain.encode(ch));
      i += ch.length;
      continue;
    }
    const short = { n: 10, r: 13, t: 9, 0: 0, "\\": 92 }[text[i + 1]];
    const hex = /^\\x([0-9a-f]{2})/i.exec(text.slice(i, i + 4));
    if (short !== undefined) { out.push(short); i += 2; }
    else if (hex) { out.push(parseInt(hex[1], 16)); i += 4; }
    else { out.push(92); i++; }
  }
  return out;
}

// framesOf shows octets as lines: an end of line breaks the line, and every octet outside printable ASCII
// is spelt out, since signs for control characters are missing from many fonts.
function framesOf(octets) {
  const pre = node("pre");
  let run = "";
  const flush = () => { if (run) { pre.append(run); run = ""; } };
  const sign = (text) => { flush(); pre.append(node("span", { class: "ctl" }, text)); };
  for (const o of octets) {
    if (o === 10) { sign("\\n"); run += "\n"; }
    else if (o === 13) sign("\\r");
    else if (o === 9) sign("\\t");
    else if (o === 0) sign("\\0");
    else if (o < 32 || o > 126) sign("\\x" + o.toString(16).padStart(2, "0"));
    else run += String.fromCharCode(o);
  }
  // The break after a last end of line would show as an empty line.
  run = run.replace(/\n$/, "");
  flush();
  return pre;
}

function hexOf(octets) {
  const wide = byId("detail").clientWidth > 620 ? 16 : 8;
  const lines = [];
  for (let i = 0; i < octets.length; i += wide) {
    const part = octets.slice(i, i + wide);
    const hex = part.map((o) => o.toString(16).padStart(2, "0")).join(" ").padEnd(wide * 3 - 1);
    const text = part.map((o) => (o < 32 || o > 126 ? "." : String.fromCharCode(o))).join("");
    lines.push(i.toString(16).padStart(4, "0") + "  " + hex + "  " + text);
  }
  return node("pre", { class: "hex", tabindex: "0", "aria-label": "hexdump" }, lines.join("\n"));
}

const directions = {
  ">": ["out", "→", "to the target"],
  "<": ["in", "←", "from the target"],
};

// transcriptOf shows a transcript when it is first opened.
function transcriptOf(records) {
  const box = node("details", { class: "transcript" }, node("summary", {}, `Transcript, ${records.length} ${records.length === 1 ? "record" : "records"}`));
  const show = (hex) => {
    const conns = new Set(records.map((r) => r.conn));
    const list = node("ol", { class: "wire" });
    for (const r of records) {
      const [kind, arrow, words] = directions[r.dir] || ["ev", "·", "event"];
      const body = kind === "ev" ? node("span", {}, r.text) : hex ? hexOf(octetsOf(r.text)) : framesOf(octetsOf(r.text));
      list.append(node("li", { class: kind },
        node("span", { class: "t" }, r.ms.toFixed(1) + " ms"),
        node("span", { class: "d", title: words }, arrow, node("span", { class: "sr" }, words)),
        node("div", {},
          conns.size > 1 && r.conn && node("span", { class: "conn" }, r.conn),
          body,
          r.cut && node("span", { class: "meta" }, r.octets ? `cut: ${r.octets} octets in all` : "cut"))));
    }
    const choice = (on, label) => node("button", { type: "button", class: "chip", "aria-pressed": String(hex === on), onclick: () => { show(on); box.querySelectorAll(".wirebar .chip")[on ? 1 : 0].focus(); } }, label);
    box.querySelector(".wirebody")?.remove();
    box.append(node("div", { class: "wirebody" }, node("div", { class: "wirebar", role: "group", "aria-label": "Form of the transcript" }, choice(false, "frames"), choice(true, "hexdump")), list));
  };
  box.addEventListener("toggle", () => { if (box.open && !box.querySelector(".wirebody")) show(false); });
  return box;
}
