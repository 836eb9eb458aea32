(() => {
  const told = document.getElementById("told");
  const inside = (runs, column) => runs.split(" ").some((run) => {
    const [first, last = first] = run.split("-").map(Number);
    return first <= column && column <= last;
  });

  // Lights up, in every lane of the package, the way that OLM classic takes from the bundle of this name.
  const choose = (entry) => {
    const drawing = entry.closest("svg");
    const name = entry.dataset.name;
    for (const lit of drawing.querySelectorAll(".lit, .installed")) lit.classList.remove("lit", "installed");
    const ways = [];
    for (const lane of drawing.querySelectorAll(".lane")) {
      const nodes = new Map([...lane.querySelectorAll(".entry")].map((node) => [node.dataset.name, node]));
      const edges = [...lane.querySelectorAll(".edge")];
      let node = nodes.get(name);
      if (!node) continue;
      node.classList.add("lit", "installed");
      const steps = [];
      const seen = new Set();
      while (node && node.dataset.next && !seen.has(node.dataset.name)) {
        seen.add(node.dataset.name);
        const next = nodes.get(node.dataset.next);
        if (!next) break;
        for (const edge of edges)
          if (edge.dataset.to === next.dataset.column && inside(edge.dataset.from, Number(node.dataset.column)))
            edge.classList.add("lit");
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
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const row = [...entry.closest(".lane").querySelectorAll(".entry")];
    row[row.indexOf(entry) + step]?.focus();
  });

  // The newest versions stand on the right, and are what most people came for.
  const show = (section) => {
    const lit = section.querySelector(".entry.installed");
    const box = section.querySelector(".scroll");
    if (lit) lit.scrollIntoView({ block: "nearest", inline: "center" });
    else box.scrollLeft = box.scrollWidth;
  };
  for (const box of document.querySelectorAll(".scroll"))
    box.addEventListener("scroll", () => {
      for (const name of box.querySelectorAll(".channel")) name.setAttribute("transform", `translate(${box.scrollLeft} 0)`);
    });
  for (const section of document.querySelectorAll("details.package")) {
    if (section.open) show(section);
    section.addEventListener("toggle", () => { if (section.open) show(section); }, { once: true });
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
