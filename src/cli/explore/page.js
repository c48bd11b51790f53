"use strict";
// The graph as far as it has been looked at. Each window has its own; the server numbers the states for all.
const seen = new Map();
const shown = [0];
const isShown = new Set(shown);
const MOST = 2000;
const AT_ONCE = 8;
let model, now, way = [], last = null;

const byId = (id) => document.getElementById(id);
const make = (name, text, attributes = {}) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

async function ask(question) {
  const answer = await fetch(question);
  if (!answer.ok) throw new Error(`${question}: ${answer.status}`);
  return answer.json();
}

async function look(id) {
  if (!seen.has(id)) seen.set(id, await ask(`state?id=${id}`));
  return seen.get(id);
}

const tell = (text) => { byId("told").textContent = text; };

async function go(id, along) {
  const state = await look(id);
  last = now === undefined ? null : seen.get(now);
  now = id;
  if (along) way = along;
  else if (way[way.length - 1] !== id) way.push(id);
  for (const met of [id, ...state.steps.map((s) => s.to)]) meet(met);
  draw(state);
}

function meet(id) {
  if (id === null || isShown.has(id)) return;
  isShown.add(id);
  shown.push(id);
  // The oldest make room, but for the initial state.
  if (shown.length > MOST) isShown.delete(...shown.splice(1, 1));
}

function draw(state) {
  byId("here").textContent = `State ${state.id}`;
  byId("ended").textContent = state.ended ?? `${state.depth} steps from the initial state, as it was met`;
  byId("values").replaceChildren(...model.variables.map((name, n) => {
    const row = make("tr");
    row.append(make("td", name), make("td", state.values[n]));
    if (last && last.values[n] !== state.values[n]) row.className = "changed";
    return row;
  }));
  byId("steps").replaceChildren(...state.steps.map((s) => stepRow(s.step, s, () => go(s.to))));
  const rests = state.steps.every((s) => s.visible !== false);
  const known = state.steps.some((s) => s.visible !== null);
  byId("none").textContent = !known && state.steps.length > 0 ? "what is visible is not known"
    : rests ? "" : "no state of the reduced system: an invisible step is enabled";
  byId("coarse").replaceChildren(...state.coarse.map((c) => {
    const end = c.way[c.way.length - 1];
    const steps = { changes: [], to: end, text: `${c.way.length} step${c.way.length === 1 ? "" : "s"}, to state ${end}` };
    return stepRow(c.first, steps, async () => {
      for (const id of c.way) await look(id);
      await go(end, [...way, ...c.way]);
    });
  }));
  const lines = new Set(state.steps.map((s) => s.step.line));
  [...byId("source").children].forEach((line, n) => { line.className = lines.has(n + 1) ? "now" : ""; });
  graph();
}

function stepRow(step, s, take) {
  const row = make("tr");
  const button = make("button", step.thread);
  button.disabled = s.to === null;
  button.addEventListener("click", () => take().catch((e) => tell(String(e))));
  const what = make("td");
  what.append(make("code", step.text), make("span", ` ${model.name}:${step.line}:${step.column}`, { class: "note" }));
  for (const c of s.changes) what.append(make("div", `${c.name}: ${c.old} → ${c.new}`));
  if (s.violation) what.append(make("div", s.violation, { class: "bad" }));
  if (s.text) what.append(make("div", s.text));
  if (s.visible !== undefined && s.visible !== null) {
    const why = s.reasons.length > 0 ? `: ${s.reasons.join("; ")}` : "";
    what.append(make("div", (s.visible ? "visible" : "invisible") + why, { class: "note" }));
  }
  const first = make("td");
  first.append(button);
  row.append(first, what);
  return row;
}

// States in columns by their distance from the initial state.
function graph() {
  byId("count").textContent = `(${shown.length} shown)`;
  const depths = new Map();
  for (const from of seen.values()) for (const s of from.steps) {
    depths.set(s.to, Math.min(depths.get(s.to) ?? Infinity, from.depth + 1));
  }
  for (const state of seen.values()) depths.set(state.id, state.depth);
  const columns = new Map();
  for (const id of shown) {
    const d = depths.get(id) ?? 0;
    if (!columns.has(d)) columns.set(d, []);
    columns.get(d).push(id);
  }
  const order = [...columns.keys()].sort((a, b) => a - b);
  const place = new Map();
  order.forEach((d, x) => columns.get(d).forEach((id, y) => place.set(id, [24 + x * 44, 20 + y * 34])));
  const tall = Math.max(...[...columns.values()].map((c) => c.length));
  const svg = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const picture = svg("svg", { width: 48 + order.length * 44, height: 40 + tall * 34 });
  const along = new Set(way.slice(1).map((id, n) => `${way[n]} ${id}`));
  for (const from of seen.values()) {
    if (!place.has(from.id)) continue;
    for (const s of from.steps) {
      if (!place.has(s.to)) continue;
      const [[x1, y1], [x2, y2]] = [place.get(from.id), place.get(s.to)];
      const line = svg("line", { x1, y1, x2, y2 });
      if (along.has(`${from.id} ${s.to}`)) line.setAttribute("class", "way");
      picture.append(line);
    }
  }
  for (const [id, [cx, cy]] of place) {
    const circle = svg("circle", { cx, cy, r: 12, "data-id": id });
    const state = seen.get(id);
    const classes = [];
    if (state) classes.push("seen");
    if (state?.ended) classes.push(state.steps.length === 0 && !state.ended.includes("wrong") ? "end" : "wrong");
    if (state && state.steps.length > 0 && state.steps.every((s) => s.visible === true)) classes.push("rests");
    if (id === now) classes.push("now");
    circle.setAttribute("class", classes.join(" "));
    circle.addEventListener("click", () => go(id, [id]).catch((e) => tell(String(e))));
    const text = svg("text", { x: cx, y: cy + 3 });
    text.textContent = id;
    picture.append(circle, text);
  }
  byId("graph").replaceChildren(picture);
  const here = place.get(now);
  if (here) byId("graphed").scrollTo(here[0] - 200, here[1] - 200);
}

async function along(answer, what) {
  if (answer.wrong) return tell(answer.wrong);
  if (answer.none) return tell(`${what}: there is none`);
  if (answer.stopped) return tell(`${what}: stopped by ${answer.stopped}`);
  tell(`${what}: ${answer.way.length - 1} steps`);
  for (const id of answer.way) {
    await look(id);
    meet(id);
  }
  await go(answer.way[answer.way.length - 1], answer.way);
}

// Looks at all that is shown, some at once.
async function expand() {
  const open = shown.filter((id) => !seen.has(id));
  const room = () => shown.length < MOST;
  const work = async () => {
    while (open.length > 0 && room()) for (const s of (await look(open.shift())).steps) meet(s.to);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (!room()) tell(`${MOST} states are shown, and no more`);
  else if (shown.every((id) => seen.has(id))) tell(`these are all ${shown.length} states`);
  graph();
}

async function begin() {
  model = await ask("model");
  document.title = `${model.name}: Coarsen`;
  byId("name").textContent = model.name;
  byId("verdict").replaceChildren(make("span", model.verdict, { class: model.verdict }), `: ${model.reason}`);
  for (const p of model.properties) {
    const told = make("span", p.verdict, { class: p.verdict });
    const line = make("div", `${p.name} `);
    line.append(told, ` ${p.reason} `);
    if (p.execution) {
      const button = make("button", "show", { "data-property": p.name });
      button.addEventListener("click", async () => {
        try {
          await along(await ask(`execution?of=${encodeURIComponent(p.name)}`), p.name);
        } catch (e) { tell(String(e)); }
      });
      line.append(button);
    }
    byId("properties").append(line);
  }
  byId("source").replaceChildren(...model.source.split("\n").map((line) => make("li", line || " ")));
  byId("find").addEventListener("submit", async (event) => {
    event.preventDefault();
    const goal = byId("goal").value;
    tell("searching");
    try {
      await along(await ask(`find?where=${encodeURIComponent(goal)}`), goal);
    } catch (e) { tell(String(e)); }
  });
  byId("expand").addEventListener("click", () => expand().catch((e) => tell(String(e))));
  byId("begin").addEventListener("click", () => go(0, [0]));
  byId("back").addEventListener("click", () => { if (way.length > 1) { way.pop(); go(way[way.length - 1], way); } });
  for (const id of model.initial.slice(1)) meet(id);
  if (model.initial.length > 1) tell(`there are several initial states: ${model.initial.length} are shown`);
  await go(0, [0]);
}

begin().catch((e) => tell(String(e)));
