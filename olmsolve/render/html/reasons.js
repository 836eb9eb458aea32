(() => {
  for (const field of document.querySelectorAll("input[data-filters]")) {
    field.closest("p").hidden = false;
    field.addEventListener("input", () => {
      const part = field.value.trim().toLowerCase();
      for (const found of document.querySelectorAll(`${field.dataset.filters}[data-filter]`)) {
        found.hidden = !found.dataset.filter.includes(part);
        // What is looked for must not stay folded away.
        if (part && !found.hidden)
          for (let box = found.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
      }
    });
  }
  const all = (open) => () => { for (const box of document.querySelectorAll("main details")) box.open = open; };
  document.querySelector("[data-action=unfold]")?.addEventListener("click", all(true));
  document.querySelector("[data-action=fold]")?.addEventListener("click", all(false));

  // A link into a folded part unfolds it.
  const reveal = () => {
    const target = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    for (let box = target && target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    target?.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
