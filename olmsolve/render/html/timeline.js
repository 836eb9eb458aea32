(() => {
  const players = [...document.querySelectorAll("[data-player]")].map((box) => {
    const noun = box.dataset.player;
    const last = Number(box.dataset.last);
    const steps = [...box.querySelectorAll("[data-step]")];
    const heads = [...box.querySelectorAll("[data-column]")];
    const cells = [...box.querySelectorAll("[data-from]")];
    const table = box.querySelector(".timeline");
    const turn = box.querySelector(".turn");
    const said = box.querySelector(".at-step");
    let at = 0;
    const go = (to, { scroll = true } = {}) => {
      at = Math.min(Math.max(to, 1), last);
      for (const step of steps) step.hidden = Number(step.dataset.step) !== at;
      for (const head of heads) {
        if (Number(head.dataset.column) === at) head.setAttribute("aria-current", "step");
        else head.removeAttribute("aria-current");
      }
      for (const cell of cells) cell.classList.toggle("at", Number(cell.dataset.from) <= at && at <= Number(cell.dataset.to));
      said.textContent = `${noun} ${at} of ${last}`;
      for (const button of turn.querySelectorAll("button"))
        button.disabled = button.dataset.go === "1" ? at === last : at === 1;
      const head = heads.find((each) => Number(each.dataset.column) === at);
      if (scroll && table && head) {
        const names = table.querySelector(".name").offsetWidth;
        table.scrollLeft = Math.max(0, head.offsetLeft - names - 60);
      }
    };
    turn.hidden = false;
    for (const button of turn.querySelectorAll("button")) button.addEventListener("click", () => go(at + Number(button.dataset.go)));
    go(1, { scroll: false });
    return { box, noun, last, go, now: () => at };
  });

  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select");
    if (typing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const player = players.find((each) => each.box.contains(document.activeElement)) ?? players[0];
    if (!player) return;
    const to = { ArrowRight: player.now() + 1, ArrowLeft: player.now() - 1, Home: 1, End: player.last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    player.go(to);
  });

  // A link to a step shows it.
  const follow = () => {
    const [, noun, number] = /^#([a-z]+)-([0-9]+)$/.exec(location.hash) ?? [];
    players.find((each) => each.noun.toLowerCase() === noun)?.go(Number(number));
  };
  addEventListener("hashchange", follow);
  follow();
})();
