// olmsolve in the browser: Python is Pyodide's, every file comes from this site, and nothing leaves the page.
// A link holds the files that were changed, deflated, in base64url behind the "#".
import { loadPyodide } from "./pyodide/pyodide.mjs";

const get = (id) => document.getElementById(id);
const status = (text) => { get("status").textContent = text; };
let python, answer, original = {}, files = {}, shown = "";

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
  return JSON.parse(new TextDecoder().decode(await piped(bytes, new DecompressionStream("deflate-raw"))));
}

function show(name) {
  if (shown) files[shown] = get("editor").value;
  shown = name;
  get("file").value = name;
  get("editor").value = files[name];
}

function changed() {
  files[shown] = get("editor").value;
  return Object.fromEntries(Object.entries(files).filter(([name, text]) => original[name] !== text));
}

async function resolve(note = "") {
  files[shown] = get("editor").value;
  status("Resolving…");
  await new Promise((done) => setTimeout(done));
  const begin = performance.now();
  const reply = JSON.parse(answer(shown, JSON.stringify(files)));
  get("answer").srcdoc = reply.page;
  status(`${note}${reply.summary} (${Math.round(performance.now() - begin)} ms)`);
  document.body.dataset.answered = reply.outcome;
}

async function share() {
  history.replaceState(null, "", `#${await packed({ shown, files: changed() })}`);
  try {
    await navigator.clipboard.writeText(location.href);
    status("The link is copied.");
  } catch {
    status("The address of this page is the link.");
  }
}

async function begin() {
  python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  status("Loading olmsolve…");
  const archive = await (await fetch("python.zip")).arrayBuffer();
  python.unpackArchive(archive, "zip", { extractDir: "/lib/olmsolve" });
  answer = python.runPython(await (await fetch("answering.py")).text());
  original = JSON.parse(python.runPython("import json; json.dumps(example())"));
  files = { ...original };
  let first = "unsatisfiable.yaml", note = "";
  if (location.hash.length > 1) {
    try {
      const linked = await unpacked(location.hash.slice(1));
      for (const [name, text] of Object.entries(linked.files)) if (name in original) files[name] = String(text);
      if (linked.shown in original) first = linked.shown;
    } catch {
      note = "The link is damaged, so this is the example. ";
    }
  }
  get("file").replaceChildren(...Object.keys(files).map((name) => new Option(name, name)));
  show(first);
  get("file").addEventListener("change", () => { show(get("file").value); resolve(); });
  get("resolve").addEventListener("click", () => resolve());
  get("editor").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); resolve(); }
  });
  get("share").addEventListener("click", share);
  get("reset").addEventListener("click", () => { files = { ...original }; shown = ""; show(first); history.replaceState(null, "", "#"); resolve(); });
  get("resolve").disabled = false;
  await resolve(note);
}

begin().catch((error) => { status(`This browser cannot run it: ${error.message}`); document.body.dataset.answered = "failed"; });
