// Steps through an execution: a column for each thread, a row for each step, and the state behind the step chosen.
"use strict";
for (const walk of document.querySelectorAll(".walk")) {
  const trace = JSON.parse(walk.querySelector("script").textContent);
  const make = (name, text, kind) => {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    if (kind) e.className = kind;
    return e;
  };
  const threads = [...new Set(trace.steps.map((s) => s.thread))];
  const steps = make("table");
  const head = steps.appendChild(make("thead")).appendChild(make("tr"));
  ["", ...threads].forEach((name) => head.append(make("th", name)));
  const body = steps.appendChild(make("tbody"));
  const rows = [make("tr")];
  rows[0].append(make("td", "0"));
  const start = make("td", "start");
  start.colSpan = Math.max(1, threads.length);
  rows[0].append(start);
  trace.steps.forEach((step, n) => {
    const row = make("tr");
    row.append(make("td", String(n + 1)));
    for (const name of threads) {
      const cell = make("td");
      if (name === step.thread) {
        cell.append(make("code", step.said));
        if (step.changes) cell.append(make("div", step.changes, "change"));
        if (step.violation) cell.append(make("div", step.violation, "bad"));
      }
      row.append(cell);
    }
    rows.push(row);
  });
  rows.forEach((row, n) => {
    row.addEventListener("click", () => show(n));
    body.append(row);
  });
  const back = make("button", "back");
  const next = make("button", "next");
  const slider = make("input");
  slider.type = "range";
  slider.min = 0;
  slider.max = trace.steps.length;
  slider.setAttribute("aria-label", "step");
  const where = make("span", "");
  const controls = make("p");
  controls.append(back, " ", next, " ", slider, " ", where);
  const scroll = make("div", undefined, "steps");
  scroll.append(steps);
  const state = make("div", undefined, "state");
  walk.append(controls, scroll, state);
  const values = (n) => {
    const all = trace.start.slice();
    for (let k = 0; k < n; k++) for (const [at, value] of trace.steps[k].sets) all[at] = value;
    return all;
  };
  let now = -1;
  function show(n) {
    n = Math.max(0, Math.min(n, trace.steps.length));
    if (n === now) return;
    if (now >= 0) rows[now].classList.remove("now");
    now = n;
    rows[n].classList.add("now");
    const row = rows[n];
    const top = row.offsetTop - head.offsetHeight;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    const low = row.offsetTop + row.offsetHeight - scroll.clientHeight;
    if (low > scroll.scrollTop) scroll.scrollTop = low;
    slider.value = n;
    const last = n === trace.steps.length;
    where.textContent = `step ${n} of ${trace.steps.length}` + (last ? `: ${trace.outcome}` : "");
    where.className = last && !trace.wanted ? "bad" : "";
    const changed = new Set(n ? trace.steps[n - 1].sets.map((s) => s[0]) : []);
    const table = make("table");
    values(n).forEach((value, at) => {
      const line = make("tr", undefined, changed.has(at) ? "changed" : "");
      line.append(make("td", trace.names[at]), make("td", value));
      table.append(line);
    });
    state.replaceChildren(table);
    const line = n ? trace.steps[n - 1].line : 0;
    document.querySelectorAll(".source tr.here").forEach((e) => e.classList.remove("here"));
    if (line) document.getElementById(`L${line}`)?.classList.add("here");
  }
  back.addEventListener("click", () => show(now - 1));
  next.addEventListener("click", () => show(now + 1));
  slider.addEventListener("input", () => show(Number(slider.value)));
  walk.tabIndex = 0;
  walk.addEventListener("keydown", (event) => {
    if (event.target === slider) return;
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    show(now + by);
  });
  show(trace.steps.length);
}
