(() => {
  const told = document.getElementById("told");
  const column = 30;
  const shape = (name, attributes) => {
    const made = document.createElementNS(document.querySelector("svg").namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const centre = (entry) => Number(entry.querySelector("circle").getAttribute("cx"));

  // The path of a step, as the page draws it for the version that it was made with.
  const step = (lane, from, to) => {
    const [start, end, line, above] = [centre(from), centre(to), Number(lane.dataset.line), Number(lane.dataset.above)];
    const far = Math.abs(end - start);
    const path = far <= column ? `M${end} ${line}H${start}`
      : `M${end} ${line}Q${Math.floor((start + end) / 2)} ${line - Math.min(2 * above - 8, Math.floor(far / 2))} ${start} ${line}`;
    lane.insertBefore(shape("path", { class: "way", d: path }), lane.querySelector(".entry"));
  };

  // Lights up, in every lane of the package, the way that OLM classic takes from the bundle of this name.
  const choose = (entry) => {
    const drawing = entry.closest("svg");
    const name = entry.dataset.name;
    for (const lit of drawing.querySelectorAll(".lit, .installed")) lit.classList.remove("lit", "installed");
    for (const old of drawing.querySelectorAll(".way")) old.remove();
    const ways = [];
    for (const lane of drawing.querySelectorAll(".lane")) {
      const nodes = new Map([...lane.querySelectorAll(".entry")].map((node) => [node.dataset.name, node]));
      let node = nodes.get(name);
      if (!node) continue;
      node.classList.add("lit", "installed");
      const steps = [];
      const seen = new Set();
      while (node && node.dataset.next && !seen.has(node.dataset.name)) {
        seen.add(node.dataset.name);
        const next = nodes.get(node.dataset.next);
        if (!next) break;
        step(lane, node, next);
        next.classList.add("lit");
        steps.push(next.dataset.version || next.dataset.name);
        node = next;
      }
      ways.push(`${lane.dataset.channel}: ${steps.length ? steps.join(" → ") : "it stays"}`);
    }
    const notes = entry.dataset.notes ? ` (${entry.dataset.notes})` : "";
    told.textContent = `From ${name}${notes}. ${ways.join("; ")}.`;
  };

  document.addEventListener("click", (event) => {
    const entry = event.target.closest(".updates .entry");
    if (entry) choose(entry);
  });
  document.addEventListener("keydown", (event) => {
    const entry = event.target.closest?.(".updates .entry");
    if (!entry) return;
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(entry); return; }
    const towards = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!towards) return;
    event.preventDefault();
    const row = [...entry.closest(".lane").querySelectorAll(".entry")];
    row[row.indexOf(entry) + towards]?.focus();
  });
  // The tab key stops once in a row, where it was left.
  document.addEventListener("focusin", (event) => {
    const entry = event.target.closest?.(".updates .entry");
    if (!entry) return;
    for (const each of entry.closest(".lane").querySelectorAll('.entry[tabindex="0"]')) each.setAttribute("tabindex", "-1");
    entry.setAttribute("tabindex", "0");
  });

  // Marks behind the names say how many entries of a row are outside of the window, and lead there: no entry is covered.
  // A row whose entries are all outside takes no more room than its name.
  const folded = 31;
  const mark = (box) => {
    const [drawing, beside] = [box.querySelector(".updates"), box.parentElement.querySelector(".channels")];
    const scale = drawing.clientWidth / drawing.viewBox.baseVal.width || 1;
    const tall = drawing.classList.contains("overview") ? 1 : scale;
    const [left, right] = [box.scrollLeft / scale, (box.scrollLeft + box.clientWidth) / scale];
    for (const old of beside.querySelectorAll(".hidden")) old.remove();
    const [names, edge] = [beside.querySelectorAll(".name"), beside.viewBox.baseVal.width - 6];
    let saved = 0;
    for (const [row, lane] of drawing.querySelectorAll(".lane").entries()) {
      const all = [...lane.querySelectorAll(".entry")].map(centre);
      const [older, newer] = [all.filter((x) => x < left), all.filter((x) => x > right)];
      const [band, line] = [lane.querySelector(".band"), Number(lane.dataset.line)];
      band.dataset.whole ??= band.getAttribute("height");
      const isOutside = older.length === all.length || newer.length === all.length;
      const whole = Number(band.dataset.whole);
      const height = isOutside ? Math.min(whole, folded) : whole;
      const up = (isOutside ? Math.max(0, line - Number(band.getAttribute("y")) - 14) : 0) + saved;
      band.setAttribute("height", height);
      lane.setAttribute("transform", `translate(0 ${-saved})`);
      names[row].setAttribute("transform", `translate(0 ${-up})`);
      saved += whole - height;
      const add = (text, y, goal) => {
        const made = shape("text", { class: "hidden", x: edge, y: y - up, "text-anchor": "end" });
        made.textContent = text;
        made.addEventListener("click", () => { box.scrollLeft = goal * scale - box.clientWidth / 2; });
        beside.append(made);
      };
      if (older.length) add(`← ${older.length} older`, line, older.at(-1));
      if (newer.length) add(`${newer.length} newer →`, line + 12, newer[0]);
    }
    for (const each of [drawing, beside]) {
      const view = each.viewBox.baseVal;
      each.dataset.whole ??= view.height;
      view.height = Number(each.dataset.whole) - saved;
      each.setAttribute("height", view.height * tall);
    }
  };

  // A drawing of hundreds of columns cannot be made small enough to read: its columns move together, and nothing else
  // shrinks. Versions are named as far as they have room, and entries stay round.
  const smallest = .6;
  const least = 13;
  const overview = (drawing, width) => {
    const scale = width / drawing.viewBox.baseVal.width;
    drawing.classList.add("overview");
    drawing.setAttribute("preserveAspectRatio", "none");
    drawing.setAttribute("width", width);
    drawing.setAttribute("height", drawing.viewBox.baseVal.height);
    const size = Math.max(.4, Math.min(1, column * scale / 18));
    drawing.style.setProperty("--wide", size / scale);
    drawing.style.setProperty("--tall", size);
    const every = Math.ceil(least / (column * scale));
    for (const [position, label] of [...drawing.querySelectorAll(".version")].reverse().entries()) {
      label.dataset.whole ??= label.getAttribute("transform");
      label.setAttribute("transform", label.dataset.whole.replace(" rotate", ` scale(${1 / scale} 1) rotate`));
      label.style.display = position % every ? "none" : "";
    }
  };
  const enlarge = (drawing) => {
    if (!drawing.classList.contains("overview")) return;
    drawing.classList.remove("overview");
    drawing.removeAttribute("preserveAspectRatio");
    drawing.setAttribute("width", drawing.viewBox.baseVal.width);
    for (const label of drawing.querySelectorAll(".version")) {
      label.setAttribute("transform", label.dataset.whole);
      label.style.display = "";
    }
  };

  // The names of channels leave room for the drawing on a small screen: without the versions below them.
  const narrow = (section) => {
    const beside = section.querySelector("svg.channels");
    if (beside.viewBox.baseVal.width < .45 * section.querySelector(".drawing").clientWidth) return;
    beside.classList.add("narrow");
    const names = [...beside.querySelectorAll(".channel")].map((name) => name.getComputedTextLength());
    const width = Math.min(beside.viewBox.baseVal.width, Math.ceil(Math.max(...names)) + 96);
    beside.viewBox.baseVal.width = width;
    beside.setAttribute("width", width);
  };

  // The sizes of a drawing: its channels grow with it.
  const zoom = (section, action) => {
    const box = section.querySelector(".scroll");
    const drawings = [...section.querySelectorAll("svg.channels, svg.updates")];
    enlarge(drawings[1]);
    const widths = drawings.map((each) => each.viewBox.baseVal.width);
    const now = drawings[1].clientWidth / widths[1];
    const room = section.querySelector(".drawing").clientWidth;
    const scale = action === "fit" ? Math.min(1, room / (widths[0] + widths[1])) : Math.max(.2, Math.min(3, now * (action === "in" ? 1.25 : .8)));
    if (action === "fit" && scale < smallest) {
      drawings[0].setAttribute("width", widths[0]);
      overview(drawings[1], room - widths[0]);
      mark(box);
      return;
    }
    const seen = (box.scrollLeft + box.clientWidth / 2) / (now || 1);
    for (const each of drawings) {
      each.setAttribute("width", each.viewBox.baseVal.width * scale);
      each.setAttribute("height", each.viewBox.baseVal.height * scale);
    }
    box.scrollLeft = seen * scale - box.clientWidth / 2;
    mark(box);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-zoom]");
    if (!button) return;
    const section = button.closest("details");
    const box = section.querySelector(".scroll");
    if (button.dataset.zoom === "older") box.scrollLeft = 0;
    else if (button.dataset.zoom === "newer") newest(box);
    else zoom(section, button.dataset.zoom);
  });

  // The newest versions stand on the right. The window begins between two columns, so that it cuts no entry.
  const newest = (box) => {
    const drawing = box.querySelector(".updates");
    const entry = drawing.querySelector(".entry");
    box.scrollLeft = box.scrollWidth;
    if (!entry || drawing.classList.contains("overview")) return;
    const scale = drawing.clientWidth / drawing.viewBox.baseVal.width || 1;
    const behind = (box.scrollLeft / scale - centre(entry) + column / 2) % column;
    box.scrollLeft -= (behind < 0 ? behind + column : behind) * scale;
  };

  // A page of many packages has their drawings as data: deflated text in base64.
  const unpack = async (section) => {
    const packed = section.querySelector(".packed");
    if (!packed) return;
    const bytes = Uint8Array.from(atob(packed.dataset.drawing), (each) => each.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const markup = await new Response(stream).text();
    packed.insertAdjacentHTML("afterend", markup);
    packed.remove();
  };

  // The newest versions are what most people came for.
  const show = async (section) => {
    await unpack(section);
    const controls = section.querySelector(".zoom");
    if (controls) controls.hidden = false;
    const lit = section.querySelector(".entry.installed");
    const box = section.querySelector(".scroll");
    if (!box) return;
    narrow(section);
    box.addEventListener("scroll", () => mark(box));
    if (lit) lit.scrollIntoView({ block: "nearest", inline: "center" });
    else newest(box);
    mark(box);
  };
  for (const section of document.querySelectorAll("details.package")) {
    if (section.open) show(section);
    else section.addEventListener("toggle", () => { if (section.open) show(section); }, { once: true });
  }
  const start = document.querySelector(".entry.installed");
  if (start) choose(start);

  const filter = document.getElementById("filter");
  if (filter) {
    filter.closest("p").hidden = false;
    filter.addEventListener("input", () => {
      const part = filter.value.trim().toLowerCase();
      for (const section of document.querySelectorAll("details.package"))
        section.hidden = !section.dataset.package.toLowerCase().includes(part);
    });
  }
})();
