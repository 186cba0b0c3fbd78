"""``tf.data``: datasets and iterators."""

from __future__ import annotations

from npu_migrate.abstract_run.libraries.sizes import Size
from npu_migrate.abstract_run.libraries.tables import Model, Models, given
from npu_migrate.abstract_run.libraries.world import (
    Dataset,
    HandleIterator,
    Iterator,
    Reads,
    Tensor,
    World,
)
from npu_migrate.abstract_run.machine.values import Arguments, Unknown, Value

_MAKERS = (
    "from_tensors",
    "from_tensor_slices",
    "from_generator",
    "from_sparse_tensor_slices",
    "range",
    "zip",
    "list_files",
)
_CLASSES = (
    "TFRecordDataset",
    "TextLineDataset",
    "FixedLengthRecordDataset",
    "experimental.CsvDataset",
    "experimental.RandomDataset",
    "experimental.SqlDataset",
    "experimental.make_csv_dataset",
    "experimental.make_batched_features_dataset",
    "experimental.sample_from_datasets",
    "experimental.choose_from_datasets",
)


def _dataset(name: str) -> Model:
    def make(world: World, arguments: Arguments) -> Value:
        values = [*arguments.positional, *arguments.keywords.values()]
        own = frozenset({Reads()}) if name == "list_files" else frozenset()
        sizes = (one.size for one in values if isinstance(one, Dataset))
        return Dataset(world, world.effects_of(*values) | own, max(sizes, default=Size.RIGHT))

    return make


def _of_dataset(world: World, arguments: Arguments) -> Dataset:
    found = given(world, arguments, "dataset", 0)
    if not isinstance(found, Dataset):
        raise world.run.lost("an iterator is made over something that is not known")
    return found


def _one_shot(world: World, arguments: Arguments) -> Value:
    return world.iterator(_of_dataset(world, arguments), one_shot=True)


def _initializable(world: World, arguments: Arguments) -> Value:
    return world.iterator(_of_dataset(world, arguments), one_shot=False)


def _from_structure(world: World, arguments: Arguments) -> Value:
    return world.iterator(None, one_shot=False)


def _from_handle(world: World, arguments: Arguments) -> Value:
    handle = given(world, arguments, "string_handle", 0)
    if not isinstance(handle, Tensor):
        raise world.run.lost("the handle of an iterator is not known")
    return HandleIterator(world, handle)


def _saveable(world: World, arguments: Arguments) -> Value:
    iterator = arguments.positional[0] if arguments.positional else None
    if isinstance(iterator, Iterator) and not iterator.one_shot:
        words = "the iterator's state is saved, and a start after a restore would lose it"
        world.run.fault("saved", words, iterator.number)
    return Tensor(world, frozenset())


def _structure(world: World, arguments: Arguments) -> Value:
    return Unknown("a structure")


def _transformation(world: World, arguments: Arguments) -> Value:
    """``tf.data.experimental.shuffle_and_repeat(…)``: given to ``apply``."""
    made = Tensor(world, world.effects_of(*arguments.positional, *arguments.keywords.values()))
    made.origin = "transformation"
    return made


_TABLE: dict[str, Model] = {
    "tensorflow.data.make_one_shot_iterator": _one_shot,
    "tensorflow.data.make_initializable_iterator": _initializable,
    "tensorflow.data.Iterator.from_structure": _from_structure,
    "tensorflow.data.Iterator.from_string_handle": _from_handle,
    "tensorflow.data.experimental.make_saveable_from_iterator": _saveable,
    "tensorflow.contrib.data.make_saveable_from_iterator": _saveable,
    "tensorflow.data.get_output_types": _structure,
    "tensorflow.data.get_output_shapes": _structure,
    "tensorflow.data.get_output_classes": _structure,
}
for _name in _MAKERS:
    _TABLE[f"tensorflow.data.Dataset.{_name}"] = _dataset(_name)
    _TABLE[f"tensorflow.contrib.data.Dataset.{_name}"] = _dataset(_name)
for _name in _CLASSES:
    _TABLE[f"tensorflow.data.{_name}"] = _dataset(_name)
    _TABLE[f"tensorflow.contrib.data.{_name.rpartition('.')[2]}"] = _dataset(_name)
for _name in (
    "map_and_batch",
    "shuffle_and_repeat",
    "prefetch_to_device",
    "parallel_interleave",
    "ignore_errors",
):
    _TABLE[f"tensorflow.data.experimental.{_name}"] = _transformation
    _TABLE[f"tensorflow.contrib.data.{_name}"] = _transformation

DATA: Models = _TABLE
