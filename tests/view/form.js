// The form of the page that is open: its headings, lists, tables, drawings and controls from top to bottom, each with
// the columns that it takes of twelve. Not a word of what lies in tables, nor a pixel.
() => {
  const listed = 'header, nav, main, h1, h2, h3, form, table, figure, details, ol, ul, dl, svg:not(svg svg), input, select, textarea'
  const seen = [...document.querySelectorAll(listed)].filter((each) => {
    const box = each.getBoundingClientRect()
    const least = each.localName === 'svg' ? 60 : 2 // no mark of a legend
    return each.checkVisibility({ visibilityProperty: true }) && box.width > least && box.height > 2 && !each.closest('table *, svg *, [role=grid] *')
  })
  const width = document.documentElement.clientWidth
  const depth = (element) => seen.filter((each) => each !== element && each.contains(element)).length
  const name = (element) => {
    const named = element.ariaLabel || element.querySelector(':scope > caption, :scope > summary, :scope > legend')?.innerText ||
      (/^h\d$/.test(element.localName) ? element.innerText : '')
    return named.replace(/\s+/g, ' ').trim().slice(0, 60)
  }
  return seen.map((element) => {
    const box = element.getBoundingClientRect()
    const columns = [Math.round(12 * box.left / width), Math.round(12 * box.right / width)].map((each) => Math.min(12, Math.max(0, each)))
    return `${'  '.repeat(depth(element))}${element.localName} ${columns.join('-')} ${name(element)}`.trimEnd()
  }).join('\n')
}
