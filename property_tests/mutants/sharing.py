"""Faults in how requests share a turn."""

from property_tests.mutants.mutant import Mutant

CONVOY = "anarchon/backends/convoy.py"

SENT_AGAIN = "            self._waiting.extendleft(reversed(together))\n"
SOMEBODY_WAITS = "        if any(one.waits for one in self._together):\n"

MUTANTS = (
    Mutant(
        name="more go at a time than may",
        breaks="a store is asked by no more than its width",
        file=CONVOY,
        find="        if self._free:\n",
        put="        if self._free >= 0:\n",
    ),
    Mutant(
        name="more go together than may",
        breaks="a round trip or a transaction has a bound",
        file=CONVOY,
        find="self._take(self._most - 1)",
        put="self._take(self._most)",
    ),
    Mutant(
        name="who came last is sent first",
        breaks="requests go in the order in which they came",
        file=CONVOY,
        find="self._waiting.popleft()",
        put="self._waiting.pop()",
    ),
    Mutant(
        name="who has left is sent for",
        breaks="what nobody waits for isn't sent",
        file=CONVOY,
        find="            if one.waits:\n                taken.append(one)\n",
        put="            taken.append(one)\n",
    ),
    Mutant(
        name="a sender that is alone and leaves takes the turn along",
        breaks="every request that stays is answered",
        file=CONVOY,
        find=(
            "            [answer] = await self._carry_out([asked.request])\n"
            "        finally:\n"
            "            self._pass_on()\n"
        ),
        put=(
            "            [answer] = await self._carry_out([asked.request])\n"
            "        except Exception:\n"
            "            raise\n"
            "        else:\n"
            "            self._pass_on()\n"
        ),
    ),
    Mutant(
        name="who was given the turn and leaves takes it along",
        breaks="every request that stays is answered",
        file=CONVOY,
        find="            if asked.leads:\n                self._pass_on()\n",
        put="            if asked.leads:\n                pass\n",
    ),
    Mutant(
        name="the first who leaves cuts those short who stay",
        breaks="what was sent for several isn't sent again",
        file=CONVOY,
        find=SOMEBODY_WAITS,
        put=SOMEBODY_WAITS.replace("any(", "all("),
    ),
    Mutant(
        name="what nobody waits for goes on",
        breaks="no task outlasts the last who waits for it",
        file=CONVOY,
        find="            self._task.cancel()\n",
        put="            return\n",
    ),
    Mutant(
        name="the last who leaves doesn't see to the end",
        breaks="no task outlasts the last who waits for it",
        file=CONVOY,
        find="        await asyncio.wait([self._task])\n",
        put="",
    ),
    Mutant(
        name="what is cut by somebody else is forgotten",
        breaks="every request that stays is answered",
        file=CONVOY,
        find=SENT_AGAIN,
        put="",
    ),
    Mutant(
        name="what is cut by somebody else is sent again backwards",
        breaks="requests go in the order in which they came",
        file=CONVOY,
        find=SENT_AGAIN,
        put="            self._waiting.extendleft(together)\n",
    ),
    Mutant(
        name="a failure of all is told to nobody",
        breaks="an exception means that the outcome is unknown",
        file=CONVOY,
        find="            return [error] * len(requests)",
        put="            raise error",
    ),
    Mutant(
        name="answers are given to others",
        breaks="each is told its own answer",
        file=CONVOY,
        find="zip(together, answers, strict=True)",
        put="zip(together, reversed(answers), strict=True)",
    ),
)
