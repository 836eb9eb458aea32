(() => {
  const search = document.getElementById("search");
  const shown = document.getElementById("shown");
  const buttons = [...document.querySelectorAll("button[data-state]")];
  const items = [...document.querySelectorAll(".item")];
  const packages = [...document.querySelectorAll(".package")];
  const number = new Intl.NumberFormat("en");
  // The text of an item in small letters, made when somebody first searches.
  const texts = new Map();
  const text = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };

  const choose = () => {
    const part = search.value.trim().toLowerCase();
    const states = new Set(buttons.filter((each) => each.getAttribute("aria-pressed") === "true").map((each) => each.dataset.state));
    let classes = 0;
    let clusters = 0;
    for (const item of items) {
      const chosen = !states.size || item.dataset.state.split(" ").some((state) => states.has(state));
      item.hidden = !(chosen && (!part || text(item).includes(part)));
      if (!item.hidden) { classes += 1; clusters += Number(item.dataset.count); }
    }
    for (const each of packages) each.hidden = Boolean(part) && !each.dataset.package.toLowerCase().includes(part);
    const all = !part && !states.size;
    shown.textContent = all ? "" : `${number.format(classes)} of ${number.format(items.length)} classes shown, with ${number.format(clusters)} clusters`;
  };

  // A pause in typing, so that ten thousand classes are not searched at each letter.
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(choose, items.length > 500 ? 120 : 0); });

  for (const button of buttons) {
    button.disabled = false;
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") === "true" ? "false" : "true");
      choose();
    });
  }
  for (const button of document.querySelectorAll("button.find"))
    button.addEventListener("click", () => { search.value = button.dataset.find; choose(); search.focus(); });
  for (const each of document.querySelectorAll(".filter, .keys")) each.hidden = false;

  const beside = (item, step) => {
    const visible = items.filter((each) => !each.hidden);
    const next = item ? visible[visible.indexOf(item) + step] : visible[0];
    next?.querySelector("summary").focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const item = event.target.closest?.("summary")?.closest(".item");
    if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
    else if (event.key === "Escape") {
      search.value = "";
      for (const button of buttons) button.setAttribute("aria-pressed", "false");
      choose();
    } else if (event.key === "ArrowDown" && (item || document.activeElement === search)) { event.preventDefault(); beside(item, 1); }
    else if (event.key === "ArrowUp" && item) { event.preventDefault(); beside(item, -1); }
  });
})();
