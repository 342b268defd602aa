/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page's tool: steps through the runs that the element "run" holds as JSON; see reports/html_run.h. All text goes in
 * as text, never as markup. Keys: see `keys` below. */
'use strict';
(() => {
const data = JSON.parse(document.getElementById('run').textContent);
const THREAD = 0, WORDS = 1, VALUE = 2, SITE = 3, VAR = 4, FLAGS = 5, NOTE = 6;
const KEPT = 1, FAILS = 2, QUIET = 4, WRITES = 8, CAUSE = 16;
const at = id => document.getElementById(id);
const make = (tag, className, text) => {
	const element = document.createElement(tag);

	if (className)
		element.className = className;
	if (text !== undefined)
		element.textContent = text;
	return element;
};
const valueOf = event => event[VALUE] === '' ? '' : (event[FLAGS] & WRITES ? ' := ' : ' = ') + event[VALUE];
const sentence = event => event[WORDS] + valueOf(event);
const placeOf = (run, event) => event[SITE] < 0 ? '' : run.names.sites[event[SITE]].place;

/* ---- one run as a table: threads are columns, a row is an operation or a fold of operations */

class Run {
	constructor(run, element) {
		this.names = run; /* threads, sites, variables, subject */
		this.events = run.events;
		this.differs = run.differs;
		this.element = element;
		this.open = new Set();  /* folds that are open, by their first event */
		this.here = -1;
		this.wanted = '';
	}

	shown(i) {
		const event = this.events[i];

		if (this.wanted)
			return `${sentence(event)} ${placeOf(this, event)}`.toLowerCase().includes(this.wanted);
		return this.everything || !!(event[FLAGS] & (KEPT | CAUSE)) || i === this.differs;
	}

	/* What is to be seen: numbers of events, and [first, beyond] of folds. */
	rows() {
		const rows = [];

		for (let i = 0; i < this.events.length; i++) {
			if (this.shown(i)) {
				rows.push(i);
				continue;
			}
			const first = i;
			while (i + 1 < this.events.length && !this.shown(i + 1))
				i++;
			if (this.open.has(first))
				for (let k = first; k <= i; k++)
					rows.push(k);
			else
				rows.push([first, i + 1]);
		}
		return rows;
	}

	foldRow(first, beyond, columns) {
		const row = make('tr', 'fold'), n = beyond - first;
		const cell = make('td', '', `\u2026 ${n} operation${n > 1 ? 's' : ''}`);

		cell.colSpan = columns.length;
		row.append(make('td'), cell);
		row.onclick = () => {
			this.open.add(first);
			this.draw();
		};
		return row;
	}

	eventRow(i, columns) {
		const event = this.events[i], row = make('tr'), flags = event[FLAGS];

		row.classList.toggle('bad', !!(flags & FAILS));
		row.classList.toggle('lock', !!(flags & QUIET));
		row.classList.toggle('differs', i === this.differs);
		row.classList.toggle('cause', !!(flags & CAUSE));
		row.dataset.event = i;
		row.append(make('td', '', String(i + 1)));
		for (const thread of columns) {
			const cell = row.appendChild(make('td'));

			if (thread !== event[THREAD])
				continue;
			cell.append(sentence(event));
			cell.append(make('span', 'place', placeOf(this, event)));
			if (event[NOTE])
				cell.append(make('span', 'note', event[NOTE]));
		}
		row.onclick = () => select(this, i);
		return row;
	}

	draw() {
		const rows = this.rows(), threads = rows.filter(row => !Array.isArray(row)).map(i => this.events[i][THREAD]);
		const columns = [...new Set(threads)].sort((a, b) => a - b);
		const table = make('table'), head = make('tr');

		table.append(make('caption', '', this.names.name));
		head.append(make('th', '', '#'), ...columns.map(thread => make('th', '', this.names.threads[thread])));
		table.append(make('thead'), make('tbody'));
		table.tHead.append(head);
		for (const row of rows)
			table.tBodies[0].append(Array.isArray(row) ? this.foldRow(row[0], row[1], columns)
			                                           : this.eventRow(row, columns));
		this.element.replaceChildren(table);
		this.light();
	}

	light() {
		const old = this.element.querySelector('tr.here');
		const row = this.element.querySelector(`tr[data-event="${this.here}"]`);

		if (old)
			old.classList.remove('here');
		if (row) {
			row.classList.add('here');
			row.scrollIntoView({ block: 'nearest' });
		}
	}

	/* The nearest event in that direction that is on the page; of one thread, if that is asked for. */
	step(direction, thread) {
		const seen = this.rows().filter(row => !Array.isArray(row));

		if (direction < 0)
			seen.reverse();
		return seen.find(i => (i - this.here) * direction > 0 && (thread === undefined || this.events[i][THREAD] === thread));
	}
}

/* ---- beside it: where the run is, and what the variables hold there */

function showSource(run, site) {
	const box = at('source'), place = run.names.sites[site];

	box.replaceChildren();
	if (!place)
		return;
	const source = data.sources[place.source], first = source ? source.first : place.line;

	(source ? source.lines : [place.text || '']).forEach((text, k) => {
		const line = make('div');

		line.append(make('span', 'number', first + k || ''), text);
		box.append(line);
		if (first + k === place.line) {
			line.className = 'lit';
			requestAnimationFrame(() => box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 2);
		}
	});
}

/* The value that each variable was last seen to have, at that event or before. Parts of one object that have its name
 * are told as one, by the one that was seen last. */
function showValues(run) {
	const values = new Map(), named = new Map(), table = make('table');

	for (let i = 0; i <= run.here; i++) {
		const event = run.events[i];

		if (event[VAR] >= 0 && event[VALUE] !== '')
			values.set(event[VAR], { value: event[VALUE], by: event, i });
	}
	const subject = run.names.subject, others = [...values.keys()].filter(variable => !subject.includes(variable));

	for (const variable of subject.concat(others.slice(-12))) {
		const name = run.names.variables[variable], known = values.get(variable), before = named.get(name);

		if (!named.has(name) || (known && (!before || known.i > before.i)))
			named.set(name, known);
	}
	for (const [name, known] of named) {
		const row = make('tr');

		row.classList.toggle('now', !!known && known.i === run.here);
		row.append(make('td', '', name), make('td', '', known ? known.value : 'not seen yet'),
		           make('td', 'dim', known ? `${known.by[FLAGS] & WRITES ? 'written' : 'read'} in step ${known.i + 1}` : ''));
		table.append(row);
	}
	at('values').replaceChildren(table);
}

let active;
function select(run, i) {
	if (i === undefined)
		return;
	active = run;
	run.here = i;
	run.light();
	const event = run.events[i];

	at('step').textContent = `Step ${i + 1} of ${run.events.length}: ${run.names.threads[event[THREAD]]} ${sentence(event)}`;
	at('place').textContent = placeOf(run, event);
	showSource(run, event[SITE]);
	showValues(run);
}

/* ---- the bar and the keyboard */

const runs = data.runs.map(run => {
	const element = make('div', 'run');

	element.tabIndex = 0;
	element.setAttribute('aria-label', run.name);
	at('runs').append(element);
	return new Run(run, element);
});

function compare(on) {
	runs.slice(1).forEach(run => run.element.hidden = !on);
	at('compare').setAttribute('aria-pressed', on);
	at('compare').hidden = runs.length < 2;
	if (!on && active && active !== runs[0])
		select(runs[0], Math.max(runs[0].here, 0));
}

function otherRun() {
	const other = runs[(runs.indexOf(active) + 1) % runs.length];

	if (pressed('compare'))
		select(other, other.here >= 0 ? other.here : other.differs);
}

function everything(on) {
	for (const run of runs) {
		run.everything = on;
		run.open.clear();
		run.draw();
	}
	at('all').setAttribute('aria-pressed', on);
}

function search(text) {
	for (const run of runs) {
		run.wanted = text.trim().toLowerCase();
		run.draw();
	}
}

function theme() {
	const root = document.documentElement, dark = matchMedia('(prefers-color-scheme: dark)').matches;

	root.dataset.theme = (root.dataset.theme || (dark ? 'dark' : 'light')) === 'dark' ? 'light' : 'dark';
}

/* The next operation of the cause, from the first again after the last. */
function nextOfCause() {
	const of = runs[0].events.map((event, i) => event[FLAGS] & CAUSE ? i : -1).filter(i => i >= 0);

	select(runs[0], of.find(i => active === runs[0] && i > active.here) ?? of[0]);
}

/* An order of the panel leads to its first operation, and from there to its second. */
document.querySelectorAll('.causes li.order').forEach((item, k) => {
	const order = (data.orders[k] || []).filter(i => i >= 0);

	if (!order.length)
		return;
	item.tabIndex = 0;
	item.classList.add('leads');
	item.onclick = () => select(runs[0], active === runs[0] && active.here === order[0] ? order[order.length - 1] : order[0]);
	item.onkeydown = event => event.key === 'Enter' && item.onclick();
});

const pressed = id => at(id).getAttribute('aria-pressed') === 'true';
const keys = {
	ArrowDown: () => select(active, active.step(1)),
	ArrowUp: () => select(active, active.step(-1)),
	j: () => select(active, active.step(1)),
	k: () => select(active, active.step(-1)),
	n: () => select(active, active.step(1, active.events[active.here][THREAD])),
	p: () => select(active, active.step(-1, active.events[active.here][THREAD])),
	Home: () => select(active, active.rows().find(row => !Array.isArray(row))),
	End: () => select(active, active.rows().reverse().find(row => !Array.isArray(row))),
	d: () => active.differs !== undefined && select(active, active.differs),
	o: otherRun,
	x: nextOfCause,
	a: () => everything(!pressed('all')),
	c: () => runs.length > 1 && compare(!pressed('compare')),
	t: theme,
	'/': () => at('search').focus(),
};

document.addEventListener('keydown', event => {
	const key = keys[event.key];

	if (event.target === at('search')) {
		if (event.key === 'Escape' || event.key === 'Enter')
			event.target.blur();
		return;
	}
	if (!key || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	key();
});
at('all').onclick = () => keys.a();
at('compare').onclick = () => keys.c();
at('theme').onclick = theme;
at('search').oninput = event => search(event.target.value);

document.documentElement.classList.add('js');
for (const run of runs)
	run.draw();
compare(runs.length > 1);
active = runs[0];
for (const run of runs.slice(1))
	run.element.querySelector('tr.differs')?.scrollIntoView({ block: 'center' });
const failing = active.events.findIndex(e => e[FLAGS] & FAILS);
select(active, active.differs ?? (failing >= 0 ? failing : active.step(1)));
scrollTo(0, 0);
})();
