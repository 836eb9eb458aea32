// olmsolve in the browser: Python is Pyodide's, every file comes from this site, and nothing leaves the page.
// A link holds the files that were changed, deflated, in base64url behind the "#".
import { loadPyodide } from "./pyodide/pyodide.mjs";

const get = (id) => document.getElementById(id);
const status = (text) => { get("status").textContent = text; };
// The longest link that browsers, chats and trackers pass on whole.
const LONGEST = 8000;
// The most that the files of a link may take, in bytes.
const LARGEST = 8 << 20;
let python, answer, original = {}, files = {}, shown = "", asked = "unsatisfiable.yaml";

const base64url = (bytes) => {
  let text = "";
  for (let start = 0; start < bytes.length; start += 32768) text += String.fromCharCode(...bytes.subarray(start, start + 32768));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const piped = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

async function packed(value) {
  return base64url(await piped(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("deflate-raw")));
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  // A short link can hold gigabytes, and whoever follows it has not made it.
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const pieces = [];
  for (let size = 0, piece; !(piece = await reader.read()).done; pieces.push(piece.value)) {
    if ((size += piece.value.length) > LARGEST) throw new Error("the link is too large");
  }
  return JSON.parse(await new Blob(pieces).text());
}

function show(name) {
  if (shown) files[shown] = get("editor").value;
  shown = name;
  // Whoever goes on to a catalog wants to see what that does to the same request.
  if (!name.includes("/")) asked = name;
  get("file").value = name;
  get("editor").value = files[name];
}

function changed() {
  files[shown] = get("editor").value;
  return Object.fromEntries(Object.entries(files).filter(([name, text]) => original[name] !== text));
}

// In a frame of its own each time: another content of the same frame would be a step of the way back.
function display(page) {
  const frame = get("answer").cloneNode();
  frame.srcdoc = page;
  get("answer").replaceWith(frame);
}

async function resolve(note = "") {
  files[shown] = get("editor").value;
  status("Resolving…");
  await new Promise((done) => setTimeout(done));
  const begin = performance.now();
  let reply;
  try {
    reply = JSON.parse(answer(asked, JSON.stringify(files)));
  } catch (error) {
    // Python's own message is the last line of what it prints.
    status(`A fault of olmsolve itself, please report it: ${String(error.message).trim().split("\n").pop()}`);
    document.body.dataset.answered = "failed";
    return;
  }
  display(reply.page);
  status(`${note}${reply.summary} (${Math.round(performance.now() - begin)} ms)`);
  document.body.dataset.answered = reply.outcome;
}

async function share() {
  history.replaceState(null, "", `#${await packed({ shown, asked, files: changed() })}`);
  const long = location.href.length > LONGEST ? ` It has ${location.href.length.toLocaleString("en")} characters: some programs cut it.` : "";
  try {
    await navigator.clipboard.writeText(location.href);
    status(`The link is copied.${long}`);
  } catch {
    status(`The address of this page is the link.${long}`);
  }
}

// Take the files of the link in the address, or the example, and answer: at the beginning, and on the ways back and forward.
async function take() {
  let first = "unsatisfiable.yaml", note = "";
  files = { ...original };
  shown = "";
  asked = first;
  if (location.hash.length > 1) {
    try {
      const linked = await unpacked(location.hash.slice(1));
      for (const [name, text] of Object.entries(linked.files)) if (Object.hasOwn(original, name)) files[name] = String(text);
      if (Object.hasOwn(original, linked.asked)) asked = linked.asked;
      if (Object.hasOwn(original, linked.shown)) first = linked.shown;
    } catch {
      note = "The link is damaged, so this is the example. ";
    }
  }
  show(first);
  await resolve(note);
}

async function begin() {
  python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  status("Loading olmsolve…");
  const archive = await (await fetch("python.zip")).arrayBuffer();
  python.unpackArchive(archive, "zip", { extractDir: "/lib/olmsolve" });
  answer = python.runPython(await (await fetch("answering.py")).text());
  original = JSON.parse(python.runPython("import json; json.dumps(example())"));
  get("file").replaceChildren(...Object.keys(original).map((name) => new Option(name, name)));
  get("file").addEventListener("change", () => { show(get("file").value); resolve(); });
  get("resolve").addEventListener("click", () => resolve());
  get("editor").addEventListener("input", () => status("Changed: Resolve answers anew."));
  get("editor").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); resolve(); }
  });
  get("share").addEventListener("click", share);
  get("reset").addEventListener("click", () => { history.replaceState(null, "", "#"); take(); });
  addEventListener("hashchange", take);
  get("resolve").disabled = false;
  await take();
}

begin().catch((error) => { status(`This browser cannot run it: ${error.message}`); document.body.dataset.answered = "failed"; });
