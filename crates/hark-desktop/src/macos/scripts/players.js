// Players that can be scripted. Arguments: "look", or "tell", the player's name, and what it is told.
const PLAYERS = ['Music', 'Spotify', 'TV'];
const COMMANDS = { play: 'play', pause: 'pause', next: 'nextTrack', previous: 'previousTrack' };

// One that is not installed, or does not run, is none; asking it would start it.
function running(name) {
  try {
    const player = Application(name);
    return player.running() ? player : null;
  } catch (error) {
    return null;
  }
}

// Of a stream or an advertisement there is no track.
function word(ask) {
  try {
    return ask() || '';
  } catch (error) {
    return '';
  }
}

function look(name) {
  const player = running(name);
  if (!player) return [];
  return [{
    name: name,
    state: player.playerState(),
    title: word(() => player.currentTrack.name()),
    artist: word(() => player.currentTrack.artist()),
  }];
}

function run(argv) {
  const [verb, name, command] = argv;
  if (verb === 'tell') {
    const player = running(name);
    if (player) player[COMMANDS[command]]();
  }
  return JSON.stringify(PLAYERS.flatMap(look));
}
