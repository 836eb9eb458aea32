(() => {
  const told = document.getElementById("told");
  const drawing = document.querySelector("svg.dependencies");
  if (!drawing) return;
  const hint = told.textContent;
  const nodes = [...drawing.querySelectorAll(".node")];
  const edges = [...drawing.querySelectorAll(".wants")];

  // Lights up the lines that lead from the node, or to it with from and to exchanged, as far as they go.
  const follow = (start, from, to) => {
    const seen = new Set([start]);
    const waiting = [start];
    while (waiting.length) {
      const at = waiting.pop();
      for (const edge of edges) {
        if (edge.dataset[from] !== at) continue;
        edge.classList.add("lit");
        const next = edge.dataset[to];
        nodes[next].classList.add("lit");
        if (!seen.has(next)) { seen.add(next); waiting.push(next); }
      }
    }
  };

  const clear = () => {
    drawing.classList.remove("chosen");
    for (const lit of drawing.querySelectorAll(".lit")) lit.classList.remove("lit", "at");
    told.textContent = hint;
  };

  const choose = (node) => {
    const again = node.classList.contains("at");
    clear();
    if (again) return;
    drawing.classList.add("chosen");
    node.classList.add("lit", "at");
    follow(node.dataset.number, "from", "to");
    follow(node.dataset.number, "to", "from");
    told.textContent = node.dataset.told;
  };

  // The nearest node in the direction of an arrow key, with the other direction counted twice.
  const beside = (node, key) => {
    const at = node.getBoundingClientRect();
    const [across, forward] = { ArrowRight: ["y", 1], ArrowLeft: ["y", -1], ArrowDown: ["x", 1], ArrowUp: ["x", -1] }[key];
    const along = across === "y" ? "x" : "y";
    let best = null;
    let least = Infinity;
    for (const each of nodes) {
      const box = each.getBoundingClientRect();
      const far = forward * (box[along] - at[along]);
      if (far < 4) continue;
      const distance = far + 2 * Math.abs(box[across] - at[across]);
      if (distance < least) { least = distance; best = each; }
    }
    return best;
  };

  drawing.addEventListener("click", (event) => {
    const node = event.target.closest(".node");
    if (node) choose(node); else clear();
  });
  drawing.addEventListener("keydown", (event) => {
    const node = event.target.closest(".node");
    if (!node) return;
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(node); return; }
    if (event.key === "Escape") { clear(); return; }
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    beside(node, event.key)?.focus();
  });

  // One stop for the Tab key; arrow keys go on from there.
  for (const node of nodes) node.setAttribute("tabindex", "-1");
  nodes[0].setAttribute("tabindex", "0");
  drawing.addEventListener("focusin", (event) => {
    const node = event.target.closest(".node");
    if (!node) return;
    for (const each of nodes) each.setAttribute("tabindex", each === node ? "0" : "-1");
  });
})();
