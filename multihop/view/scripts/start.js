// The page comes to life.

fillFilters();
buildTable();
addEventListener("hashchange", followAddress);
document.addEventListener("keydown", followKey);
for (const flips of document.querySelectorAll("[data-flips]")) {
  flips.addEventListener("click", () => {
    chosenOutcome.value = `${flips.dataset.flips}-${flips.dataset.pair}`;
    refreshTable();
    document.getElementById("questions").scrollIntoView();
    grid.focus({ preventScroll: true });
  });
}
followAddress();
