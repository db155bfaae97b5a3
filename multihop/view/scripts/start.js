// The page comes to life.

fillFilters();
buildTable();
addEventListener("hashchange", followAddress);
document.addEventListener("keydown", followKey);
wakeStrips();
followAddress();
