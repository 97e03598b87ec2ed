
'use strict';
// the charts: one bar per turn, or per several consecutive turns if there are many
(() => {
  const mostBars = 160;
  const width = 800; // of the picture, with its height
  const height = 100;
  const widestSlot = 20;
  const barShare = 0.72; // of its slot
  const leastHeight = 0.7; // keeps small values visible
  const box = document.getElementById('charts');
  const empty = box.querySelector('figure');
  const turns = JSON.parse(box.dataset.turns)
    .map(([name, begin, input, output, usd, anchor]) => ({ name, begin, input, output, usd, anchor }));

  const commas = (number) => number.toLocaleString('en');
  const dollars = (usd) => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
  const svg = (name, attributes) => {
    const element = document.createElementNS(empty.querySelector('svg').namespaceURI, name);
    for (const [key, value] of Object.entries(attributes))
      element.setAttribute(key, typeof value === 'number' ? value.toFixed(2) : value);
    return element;
  };
  const key = (kind, text) => {
    const span = document.createElement('span');
    span.className = `key ${kind}`;
    span.append(text);
    return span;
  };

  const barOf = (group) => {
    const first = group[0];
    const last = group[group.length - 1];
    const names = first === last ? `Turn ${first.name}` : `Turns ${first.name} to ${last.name}`;
    return {
      label: `${names}, ${first.begin}`,
      input: sum(group.map((turn) => turn.input)),
      output: sum(group.map((turn) => turn.output)),
      usd: sum(group.map((turn) => Math.max(turn.usd, 0))),
      anchor: (group.find((turn) => turn.anchor) ?? first).anchor,
    };
  };
  const each = Math.ceil(turns.length / mostBars);
  const bars = [];
  for (let at = 0; at < turns.length; at += each) bars.push(barOf(turns.slice(at, at + each)));
  const slot = Math.min(width / bars.length, widestSlot);
  const most = Math.max(...bars.map((bar) => bar.input + bar.output));
  const mostUsd = Math.max(...bars.map((bar) => bar.usd));

  // the slices of a bar are drawn from the bottom up
  const draw = (bar, at, title, slices) => {
    const group = svg('g', {});
    const named = svg('title', {});
    named.append(title);
    // the whole slot reacts to the pointer
    group.append(named, svg('rect', { class: 'slot', x: at * slot, y: 0, width: slot, height }));
    let top = height;
    for (const [kind, share] of slices) {
      if (!(share > 0)) continue;
      const tall = Math.max(share * height, leastHeight);
      top -= tall;
      group.append(svg('rect', {
        class: kind, x: at * slot, y: Math.max(top, 0), width: slot * barShare, height: tall,
      }));
    }
    if (!bar.anchor) return group;
    const link = svg('a', { href: `#m${bar.anchor}` });
    link.append(group);
    return link;
  };
  const figure = (what, atMost, keys, drawn) => {
    const per = each === 1 ? ' per turn' : ' per bar of several turns';
    const whole = empty.cloneNode(true);
    const picture = whole.querySelector('svg');
    whole.querySelector('figcaption').append(`${what}${per}, ${atMost} at most${keys.length > 0 ? ' ' : ''}`, ...keys);
    picture.setAttribute('aria-label', what + per);
    picture.append(...bars.map(drawn));
    whole.hidden = false;
    box.append(whole);
  };

  if (bars.length === 0 || (most === 0 && mostUsd === 0)) return;
  figure('Tokens', commas(most), [key('input', 'in'), key('output', 'out')],
    (bar, at) => draw(bar, at, `${bar.label}: ${commas(bar.input)} in, ${commas(bar.output)} out`,
      [['input', bar.input / most], ['output', bar.output / most]]));
  if (!turns.some((turn) => turn.usd >= 0)) return;
  figure('Cost', dollars(mostUsd), [],
    (bar, at) => draw(bar, at, `${bar.label}: ${dollars(bar.usd)}`, [['cost', bar.usd / mostUsd]]));
})();

// the search
(() => {
  const articles = [...document.querySelectorAll('main > article')];
  const query = document.getElementById('query');
  const count = document.getElementById('count');
  const nothing = document.getElementById('nothing');
  const total = articles.length.toLocaleString('en');
  const mostMarks = 2000;
  let texts = null;
  let opened = [];
  let timer = 0;

  const ranges = (element, wanted, found) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && found.length < mostMarks) {
      const node = walker.currentNode;
      const text = node.data.toLowerCase();
      if (text.length !== node.data.length) continue;
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        found.push(range);
      }
    }
  };

  const reveal = (article, wanted) => {
    for (const details of article.querySelectorAll('details:not([open])')) {
      if (!details.textContent.toLowerCase().includes(wanted)) continue;
      details.open = true;
      opened.push(details);
    }
  };

  const filter = () => {
    const wanted = query.value.trim().toLowerCase();
    texts ??= articles.map((article) => article.textContent.toLowerCase());
    for (const details of opened) details.open = false;
    opened = [];
    const marks = [];
    let shown = 0;
    articles.forEach((article, at) => {
      const matches = texts[at].includes(wanted);
      article.hidden = !matches;
      if (!matches) return;
      shown += 1;
      if (wanted === '' || marks.length >= mostMarks) return;
      reveal(article, wanted);
      ranges(article, wanted, marks);
    });
    count.value = shown === articles.length ? total : `${shown.toLocaleString('en')} of ${total}`;
    nothing.hidden = shown > 0;
    if ('highlights' in CSS) CSS.highlights.set('found', new Highlight(...marks));
  };

  query.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(filter, articles.length > 1000 ? 150 : 0);
  });
  addEventListener('keydown', (event) => {
    const typing = event.target === query;
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      query.focus();
    } else if (event.key === 'Escape' && typing) {
      query.value = '';
      filter();
    }
  });
  const reach = () => {
    const target = document.getElementById(location.hash.slice(1));
    for (let details = target?.closest('details'); details; details = details.parentElement.closest('details'))
      details.open = true;
  };
  addEventListener('hashchange', reach);
  reach();
  count.value = total;
  document.getElementById('find').hidden = false;
})();
