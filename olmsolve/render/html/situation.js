(() => {
  const search = document.getElementById("search");
  const shown = document.getElementById("shown");
  const buttons = [...document.querySelectorAll("button[data-state]")];
  const items = [...document.querySelectorAll(".item")];
  const groups = [...document.querySelectorAll("[data-group]")];

  // A name and states together choose the items; a group without any is hidden.
  const choose = () => {
    const part = search.value.trim().toLowerCase();
    const states = new Set(buttons.filter((each) => each.getAttribute("aria-pressed") === "true").map((each) => each.dataset.state));
    const all = !part && !states.size;
    let count = 0;
    for (const item of items) {
      item.hidden = !((!states.size || states.has(item.dataset.state)) && item.dataset.filter.includes(part));
      count += !item.hidden;
    }
    for (const group of groups) group.hidden = !all && !group.querySelector(".item:not([hidden])");
    shown.textContent = all ? "" : `${count} of ${items.length} shown`;
  };

  for (const button of buttons) {
    button.disabled = false;
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") === "true" ? "false" : "true");
      choose();
    });
  }
  search.closest("p").hidden = false;
  search.addEventListener("input", choose);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
    if (event.key === "Escape" && document.activeElement === search) { search.value = ""; choose(); }
  });
})();
