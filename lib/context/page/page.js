
'use strict';
(() => {
  const articles = [...document.querySelectorAll('article')];
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
    const details = target && target.closest('details');
    if (details) details.open = true;
  };
  addEventListener('hashchange', reach);
  reach();
  count.value = total;
  document.getElementById('find').hidden = false;
})();
